-- One page of the discarded dead letters of a subscription in order of id, and which of them match. The page is limited before the filters
-- apply. Served by outbox_discarded_pkey.
with page as materialized (
    select id, discarded_at as version, discarded_at as at, type, aggregate_type, aggregate_id, error_class, error_text, answer,
           :discard::uuid is null or discard = :discard as matches
      from outbox_discarded
     where subscription = :subscription
       and id > :after::bigint
       and (:ids::bigint[] is null or id = any (:ids::bigint[]))
     order by id
     limit :rows
)
\ir matching_of_job.sql
