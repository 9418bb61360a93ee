-- The number of bulk retries that have not ended or have stopped by themselves, by subscription and state. Few rows; served by outbox_job_pkey.
select subscription, state, count(*) as number
  from outbox_job
 where first is not null
   and state in ('running', 'paused', 'stopped')
 group by subscription, state
