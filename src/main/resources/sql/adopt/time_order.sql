-- Compares the order of the ids, or without them of the times, with the times of the latest rows: rows with an older time than the row before,
-- and with the same time. Served by an index on the id, or on the time.
with compared as (
    select /* caravan doctor */ count(*) as examined,
           count(*) filter (where at < previous) as older,
           count(*) filter (where at = previous) as same
      from (select at, pg_catalog.lag(at) over (order by place) as previous
              from (select {place} as place, {time} as at from {table} order by {latest_place} limit 10000) latest) pair
)
select 'time-order' as kind, case when older > 0 or same > 0 then 'warning' else 'note' end as severity,
       {text table} || '.' || {text time_name} || ' (' || {text reader} || ')' as about,
       pg_catalog.format('of the latest {count %s}: %s{count %s} with the time of another', examined,
           case when {text numbered} is not null then pg_catalog.format('{count %s} older than the one before, ', older) end, same) as figure,
       coalesce('Order by ' || {text numbered} || '.', 'Add a column that a sequence numbers, and order by it.') as fix,
       case when {text numbered} is null then 'alter table ' || {text table} || ' add position bigint generated always as identity;'
            else '' end as sql
  from compared
