-- Predicates of valid partial indexes of a table and its partitions: they usually show what is pending. Reads only catalogs.
select pg_get_expr(index.indpred, index.indrelid) as predicate
  from pg_index index
 where index.indrelid = any (:parts::oid[])
   and index.indpred is not null
   and index.indisvalid
 group by 1
 order by count(*) desc, 1
 limit 20
