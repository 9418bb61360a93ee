-- Indexes that some partitions have and others lack, by their definition without names. Reads only catalogs.
-- Parameters: oids of the table and its partitions, twice.
with leaf as (
    select class.oid, class.oid::regclass::text as name, count(*) over () as leaves
      from pg_class class
     where class.oid = any (?::oid[]) and class.relkind = 'r' and class.relispartition
),
found as (
    select substring(pg_get_indexdef(index.indexrelid) from ' USING (.*)$') as definition, index.indrelid
      from pg_index index
     where index.indrelid = any (?::oid[]) and index.indisvalid
)
select found.definition,
       pg_catalog.count(distinct leaf.oid) as having_it,
       max(leaf.leaves) as leaves,
       (select pg_catalog.array_agg(missing.name)
          from (select other.name
                  from leaf other
                 where other.oid not in (select same.indrelid from found same where same.definition = found.definition)
                 order by other.name
                 limit 3) missing) as missing
  from found
  join leaf on leaf.oid = found.indrelid
 group by found.definition
having pg_catalog.count(distinct leaf.oid) < max(leaf.leaves)
 order by 1
 limit 20
