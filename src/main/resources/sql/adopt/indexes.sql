-- Indexes of a table and its partitions that are invalid, or that contain what publishing changes. Reads only catalogs.
with index as (
\ir table_indexes.sql
)
select 'invalid-index' as kind, 'warning' as severity, quoted as about, pg_catalog.format('invalid, {bytes %s}', bytes) as figure,
       'Build it again, or drop it.' as fix,
       'reindex index concurrently ' || quoted || ';' as sql
  from index
 where not valid and not building and not partitioned
union all
select 'published-indexed', 'warning', quoted, pg_catalog.format('contains %s, {bytes %s}', :published::text, all_bytes),
       'Replace it by a partial index that contains only pending messages.',
       :poll_index::text || case when :partitioned::boolean then '' else E'\ndrop index concurrently ' || quoted || ';' end
  from (select quoted, sum(bytes) over () as all_bytes
          from index
         where predicate is null and :published::text = any (columns) and not :of_caravan::boolean
         order by name
         limit 1) published
