-- The messages above an id, for tests that deliver what an application has written. Served by outbox_pkey.
select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, 0 as left_out
  from outbox
 where id > :id
 order by id
