-- Repeated message ids among the latest rows. Served by an index on the order.
with counted as (
    select /* caravan doctor */ pg_catalog.count(message_id) as examined,
           pg_catalog.count(message_id) - pg_catalog.count(distinct message_id) as repeated
      from (select {message_id} as message_id from {table} {latest_first} limit 10000) latest
)
select 'duplicate-message-ids' as kind, 'critical' as severity, {text table} || '.' || {text message_id_name} as about,
       pg_catalog.format('{count %s} of the latest {count %s} are repeated', repeated, examined) as figure,
       'Generate a new id for each message, and let a unique index refuse repeated ones. Correct the repeated ids first.' as fix,
       case when {partitioned} then ''
            else pg_catalog.format('create unique index concurrently on %s (%s);', {text table}, {text message_id}) end as sql
  from counted
 where repeated > 0
