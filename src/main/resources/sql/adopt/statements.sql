-- Statements of this database that name the table, those with the most calls first, without those of Caravan, which have a comment. Other
-- roles' texts are hidden without pg_read_all_stats. Reads only the view.
select /* caravan doctor */ query, sum(calls)::bigint as calls, sum(rows)::bigint as rows,
       sum(total_exec_time) / greatest(sum(calls), 1) as mean_millis
  from {schema}.pg_stat_statements
 where dbid = (select oid from pg_database where datname = current_database())
   and query ilike {text pattern}
   and query not like '%/* caravan %'
 group by query
having sum(calls) >= 100
 order by sum(calls) desc
 limit 200
