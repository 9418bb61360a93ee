-- Pauses, resumes or cancels a bulk retry, in the transaction of the audit. A stopped one can be resumed: its failures so far are no longer
-- counted, and it begins with a few first messages again. Returns its subscription; no row if its state does not allow the change. Served by
-- outbox_bulk_retry_pkey. Parameters: first; state; id, states from which it is possible.
update outbox_bulk_retry
   set state = given.state,
       first = case when outbox_bulk_retry.state = 'stopped' then retried::integer + ? else first end,
       waits_for = null,
       stopped_because = null,
       recent_outcomes = 0,
       recent_failed = 0,
       paced_at = clock_timestamp(),
       ended_at = case when given.state = 'cancelled' then clock_timestamp() end
  from (values (?::text)) given (state)
 where id = ?
   and outbox_bulk_retry.state = any (?::text[])
returning subscription
