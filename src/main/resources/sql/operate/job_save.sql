-- Saves a step of a job, whose row the transaction has locked. Served by outbox_job_pkey.
-- If the time of the last message is later than now, the clock was set back since.
update outbox_job
   set state = :state,
       total = :total,
       counting = :counting,
       done = :done,
       forgotten = :forgotten,
       delivered = :delivered,
       failed = :failed,
       recent_outcomes = :recent,
       recent_failed = :recentFailed,
       pending = :pending::bigint[],
       started = :started::bigint[],
       after_subscription = :afterSubscription,
       after_id = :afterId,
       waits_for = pg_catalog.left(:waitsFor, 2000),
       error = pg_catalog.left(:error, 2000),
       paced_at = case when rate is null then paced_at
                       else greatest(least(paced_at, clock_timestamp()), clock_timestamp() - interval '1 second')
                            + :made::double precision * interval '1 second' / rate::double precision end,
       ended_at = case when :state::text <> 'running' then clock_timestamp() end
 where id = :id
