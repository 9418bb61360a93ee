-- Pauses, resumes or cancels a job, in the transaction of the audit. A bulk retry that has stopped can be resumed: its failures so far are no
-- longer counted, and it begins with a few first messages again. Returns what it does; no row if its state does not allow the change. Served by
-- outbox_job_pkey.
update outbox_job
   set state = :state,
       first = case when outbox_job.state = 'stopped' then done::integer + :first::integer else first end,
       waits_for = null,
       error = null,
       recent_outcomes = 0,
       recent_failed = 0,
       paced_at = clock_timestamp(),
       ended_at = case when :state::text = 'cancelled' then clock_timestamp() end
 where id = :id
   and outbox_job.state = any (:from::text[])
returning subscription, action, first is not null as observed, started
