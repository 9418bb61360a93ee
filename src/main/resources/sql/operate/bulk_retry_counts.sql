-- The number of bulk retries that have not ended or have stopped by themselves, by subscription and state. Few rows; served by outbox_bulk_retry_pkey.
select subscription, state, count(*) as number
  from outbox_bulk_retry
 where state in ('running', 'paused', 'stopped')
 group by subscription, state
