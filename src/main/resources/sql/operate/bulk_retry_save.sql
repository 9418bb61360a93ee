-- Saves a step of a bulk retry, whose row the transaction has locked. Served by outbox_bulk_retry_pkey.
-- If the time of the last message is later than now, the clock was set back since.
-- Parameters: state, retried, delivered, failed, recent outcomes, recent failed, pending, after id, what it waits for, why it stopped, messages of
-- this step, whether it has ended; id.
update outbox_bulk_retry
   set state = ?,
       retried = ?,
       delivered = ?,
       failed = ?,
       recent_outcomes = ?,
       recent_failed = ?,
       pending = ?::bigint[],
       after_id = ?,
       waits_for = ?,
       stopped_because = ?,
       paced_at = case when rate is null then paced_at
                       else greatest(least(paced_at, clock_timestamp()), clock_timestamp() - interval '1 second') + ?::double precision * interval '1 second' / rate::double precision end,
       ended_at = case when ? then clock_timestamp() end
 where id = ?
