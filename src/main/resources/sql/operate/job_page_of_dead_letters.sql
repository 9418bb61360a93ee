-- One page of the dead letters of a subscription in order of id, and which of them match. In this order the messages of a key are retried
-- in their order. The page is limited before the filters apply. Served by outbox_dead_letter_pkey.
with page as materialized (
    select id, last_failed_at as version, last_failed_at as at, type, aggregate_type, aggregate_id, error_class, error_text, answer,
           :group::bigint is null or error_group = :group as matches
      from outbox_dead_letter
\ir matching_of_job.sql
