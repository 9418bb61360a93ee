-- One page of the discarded dead letters of a subscription in order of id, and which of them match. The page is limited before the filters
-- apply. Served by outbox_discarded_pkey.
with page as materialized (
    select id, discarded_at as version, discarded_at as at, type, aggregate_type, aggregate_id, error_class, error_text, answer,
           :discard::uuid is null or discard = :discard as matches
      from outbox_discarded
\ir matching_of_job.sql
