-- One page of the messages of a subscription in outbox_retry in order of id, and which of them wait for another attempt and match. Their time
-- is that of the last failure, or that at which they were made due without one, by a replay or a retry: those that come later do not match. The page is limited before the filters apply.
-- Served by outbox_retry_pkey.
with page as materialized (
    select id, next_attempt_at as version,
           case when attempt_relay is null and next_attempt_at <= clock_timestamp() then next_attempt_at
                else coalesce(last_failed_at, first_failed_at, created_at) end as at,
           type, aggregate_type, aggregate_id, error_class, error_text, answer,
           not blocked and (:failingSince::timestamptz is null or first_failed_at <= :failingSince) as matches
      from outbox_retry
\ir matching_of_job.sql
