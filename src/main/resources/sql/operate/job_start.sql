-- Starts a job. The rate allows the messages of one second at once, so that the first ones of a bulk retry are retried together. No row if a
-- job with the same task is running. Served by outbox_job_once.
insert into outbox_job (action, subscription, details, rate, discard, first, total, counting, audit, who, via, reason, paced_at)
values (:action, :subscription, :details::jsonb, :rate, :discard::uuid, :first, :total, :counting, :audit, :who, :via, :reason,
        clock_timestamp() - interval '1 second')
on conflict do nothing
returning *, done as all_done
