-- The number of bulk retries that have not ended or have stopped by themselves, by subscription and state. Only of subscriptions and intakes that
-- exist: a job can name any, and each is a time series of the metrics. Few rows; served by outbox_job_pkey.
select subscription, state, count(*) as number
  from outbox_job
 where first is not null
   and state in ('running', 'paused', 'stopped')
   and (subscription in (select name from outbox_subscription)
        or subscription in (select 'intake:' || intake from outbox_intake))
 group by subscription, state
