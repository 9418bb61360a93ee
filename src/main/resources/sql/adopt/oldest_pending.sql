-- The oldest pending message, its age, and how many newer messages are published, counted up to a bound. One statement, so that a message
-- that is published meanwhile is not counted as stuck. Served by a partial index on what is pending, and by an index on the order.
-- A message without a time of creation is stuck when at least 1,000 newer ones are published.
with oldest as (
    select /* caravan doctor */ {order} as place, {shown_id}::text as id, {age} as seconds
      from {table}
     where ({pending}
     )
     order by {order}
     limit 1
),
counted as (
    select id,
           seconds,
           (select count(*)
              from (select
                      from {table}
                     where {order} > oldest.place
                       and (({pending}
                       ) is not true)
                     limit 1000) newer) as newer
      from oldest
),
message as (
    select newer,
           seconds,
           case when seconds >= 86400 then 'critical' else 'warning' end as severity,
           coalesce('message ' || id, 'the oldest message') || coalesce(' has waited for {seconds ' || seconds::text || '}', ' waits') as name,
           case when id is null then ''
                else pg_catalog.format('select * from %s where %s = %s;', {text table}, {text id},
                    case {text id_type} when 'uuid' then quote_literal(id) else id end) end as sql
      from counted
)
select 'stuck-message' as kind, severity, {text table} as about,
       pg_catalog.format('%s, {count %s}%s newer published', name, newer, case when newer >= 1000 then ' or more' end) as figure,
       'Look at the log of the publisher for this message. Correct it, or move it to another table, and publish it again.' as fix,
       sql
  from message
 where case when seconds is null then newer >= 1000 else newer > 0 and seconds >= 300 end
union all
select 'nothing-published', severity, {text table}, name,
       'Check whether the publisher runs, and what its log says about the first message.',
       sql
  from message
 where newer = 0 and seconds >= 300
