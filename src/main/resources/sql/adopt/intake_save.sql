-- Renews the lease of an intake, and with it saves that the last batch is marked, that no row was pending at a time, and that it works. Used by
-- IntakeStore. Changes nothing if the epoch is over: the intake has another holder then. The update is HOT, served by outbox_intake_pkey;
-- the rejected rows that a person retries are found by outbox_retry_pkey.
update outbox_intake
   set lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond',
       batch = case when not :is_marked::boolean then batch end,
       caught_up_at = coalesce(:caught_up_at::timestamptz, caught_up_at),
       failing_since = case when not :works::boolean then failing_since end,
       error = case when not :works::boolean then error end
 where intake = :intake
   and epoch = :epoch
returning paused,
          clock_timestamp() as at,
          exists (select from outbox_retry where subscription = :subscription) as has_retries
