-- Indexes that some partitions have and others lack, by their definition without names. Reads only catalogs.
with leaf as (
    select class.oid, class.oid::regclass::text as name, count(*) over () as leaves
      from pg_class class
     where class.oid = any (:parts::oid[]) and class.relkind = 'r' and class.relispartition
),
found as (
    select substring(pg_get_indexdef(index.indexrelid) from ' USING (.*)$') as definition, index.indrelid
      from pg_index index
     where index.indrelid = any (:parts::oid[]) and index.indisvalid
),
partly as (
    select found.definition,
           max(leaf.leaves) - pg_catalog.count(distinct leaf.oid) as lacking,
           max(leaf.leaves) as leaves,
           array(select other.name
                   from leaf other
                  where other.oid not in (select same.indrelid from found same where same.definition = found.definition)
                  order by other.name
                  limit 3) as names
      from found
      join leaf on leaf.oid = found.indrelid
     group by found.definition
    having pg_catalog.count(distinct leaf.oid) < max(leaf.leaves)
     order by 1
     limit 20
)
select 'partition-without-index' as kind, 'warning' as severity, :table::text || ' ' || definition as about,
       pg_catalog.format('{count %s} of {count %s} partitions lack it: %s%s', lacking, leaves, pg_catalog.array_to_string(names, ', '),
           case when lacking > pg_catalog.cardinality(names) then ' …' end) as figure,
       'Create it on these partitions, and on the partitioned table, so that new partitions get it.' as fix,
       pg_catalog.format('create index concurrently on %s using %s;', names[1], definition) as sql
  from partly
