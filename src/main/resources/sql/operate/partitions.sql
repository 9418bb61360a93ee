-- The partitions of the outbox, in order of id; outbox_default is the last one, and its bounds are null: it has the ids that no other one
-- has. Reads the catalog only, so the number of messages does not matter. rows_estimate comes from statistics. The size is read from
-- the file system, which takes as long as the rest of the statement; so it is optional.
-- The other columns are those of the whole outbox, read with its partitions.
with given (sizes) as (
    values (:sizes::boolean)
),
part as (
    select class.oid,
           class.relname as name,
           class.reltuples,
           pg_get_expr(class.relpartbound, class.oid) = 'DEFAULT' as is_default,
           regexp_match(pg_get_expr(class.relpartbound, class.oid),
                        'FROM \(''?([^'')]+)''?\) TO \(''?([^'')]+)''?\)') as edges
      from pg_inherits
      join pg_class class on class.oid = pg_inherits.inhrelid
     where pg_inherits.inhparent = to_regclass('outbox')::oid
       and not pg_inherits.inhdetachpending
)
select part.oid,
       part.name,
       case edges[1] when 'MINVALUE' then -9223372036854775808 else edges[1]::bigint end as lower,
       case edges[2] when 'MAXVALUE' then 9223372036854775807 else edges[2]::bigint end as upper,
       nullif(part.reltuples, -1::real)::bigint as rows_estimate,
       case when given.sizes then pg_total_relation_size(part.oid::regclass) end as bytes,
       (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       exists (select from outbox_subscription) as has_subscription,
       coalesce(has_table_privilege(to_regclass('outbox_history')::oid, 'SELECT'), false) as may_read_history,
       clock_timestamp() as now
  from part
 cross join given
 order by part.is_default, lower
