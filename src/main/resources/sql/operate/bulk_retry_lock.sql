-- Locks a running bulk retry for one step; no row while another process makes a step, or if it is no longer running. Also returns how
-- many messages its rate allows now: at most those of one second. Served by outbox_bulk_retry_pkey. Parameters: maximum messages of a step, id.
select *, coalesce(least(rate, floor(extract(epoch from clock_timestamp() - paced_at) * rate::numeric)), ?)::integer as permits
  from outbox_bulk_retry
 where id = ?
   and state = 'running'
   for update skip locked
