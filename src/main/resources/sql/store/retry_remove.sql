-- Messages that waited are delivered. Served by outbox_retry_pkey.
delete from outbox_retry
where subscription = ?
  and id = any (?::bigint[])
