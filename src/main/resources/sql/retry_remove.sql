-- A message that waited is delivered. Served by outbox_retry_pkey.
delete from outbox_retry
where subscription = ?
  and id = ?
