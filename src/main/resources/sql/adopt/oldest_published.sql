-- The age of the oldest published message, at the beginning of the order, where a cleanup begins. Served by an index on the order.
with oldest as (
    select /* caravan doctor */ {age} as seconds
      from {table}
     where ({pending}
           ) is not true
     order by {order}
     limit 1
)
select 'published-rows-kept' as kind, 'warning' as severity, {text table} as about,
       pg_catalog.format('about {count %s} rows, the oldest published {seconds %s} old', {rows}, seconds) as figure,
       'Remove published rows in chunks, or better: partition by id or time of creation, and drop whole partitions.'
           || ' Repeat the statement until it deletes nothing.' as fix,
       case when {text id} is null then ''
            else pg_catalog.format('delete from %1$s where %2$s in (select %2$s from %1$s where (%3$s) is not true'
                || ' and %4$s < now() - interval ''30 days'' limit 10000);', {text table}, {text id}, {text pending}, {text created}) end as sql
  from oldest
 where seconds >= 30 * 86400
