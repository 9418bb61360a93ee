-- Whole waiting messages, with payload and headers. Served by outbox_retry_pkey.
select *
  from outbox_retry
 where subscription = ?
   and id = any (?::bigint[])
 order by id
