-- Stores why a running bulk retry makes no progress; the next step replaces it. Served by outbox_bulk_retry_pkey. Parameters: what it waits for; id.
update outbox_bulk_retry
   set waits_for = ?
 where id = ?
   and state = 'running'
