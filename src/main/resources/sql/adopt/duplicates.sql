-- The number of repeated message ids among the latest rows. Served by an index on the order.
select /* caravan doctor */ pg_catalog.count(message_id) as examined,
       pg_catalog.count(message_id) - pg_catalog.count(distinct message_id) as repeated
  from (select {message-id} as message_id from {table} {latest-first} limit {latest}) latest
