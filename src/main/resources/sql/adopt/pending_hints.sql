-- Predicates of valid partial indexes of a table and its partitions: they usually show what is pending. Reads only catalogs. Not those with
-- functions, operators or types of others than Postgres (of which there is no dependency): the text is part of later statements, when the
-- index and what it names may be another one.
select pg_get_expr(index.indpred, index.indrelid) as predicate
  from pg_index index
 where index.indrelid = any (:parts::oid[])
   and index.indpred is not null
   and index.indisvalid
   and not exists (select
                     from pg_depend
                    where classid = 'pg_class'::regclass::oid
                      and objid = index.indexrelid
                      and refclassid in ('pg_proc'::regclass::oid, 'pg_operator'::regclass::oid, 'pg_type'::regclass::oid))
 group by 1
 order by count(*) desc, 1
 limit 20
