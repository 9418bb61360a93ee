-- Locks a running bulk retry for one step; no row while another process makes a step, or if it is not running any more. Returns also how
-- many messages its rate allows now: never more than those of a second. Served by outbox_bulk_retry_pkey. Parameters: most messages of a step, id.
select *, coalesce(least(rate, floor(extract(epoch from clock_timestamp() - paced_at) * rate)), ?)::integer as permits
  from outbox_bulk_retry
 where id = ?
   and state = 'running'
   for update skip locked
