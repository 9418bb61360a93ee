-- Makes messages that wait for another attempt due now, and writes the audit, in one statement. Changes only messages that still
-- wait for the attempt that they were selected with: messages that were tried since, are blocked or were removed are not changed. A message that
-- is due already keeps its time. The transaction has locked the subscription, so no save of a relay runs meanwhile. Served by outbox_retry_pkey.
with locked as (
    select id
      from outbox_retry
     where subscription = :subscription
       and id = any (:ids::bigint[])
       and not blocked
       and (extract(epoch from next_attempt_at) * 1000000.0)::bigint = (:micros::bigint[])[pg_catalog.array_position(:ids::bigint[], id)]
     order by id
       for update
),
changed as (
    update outbox_retry
       set next_attempt_at = least(next_attempt_at, clock_timestamp())
     where subscription = :subscription
       and id = any (array(select id from locked))
    returning *
),
more (of_one, of_many) as (values ('{"waiting": true}'::jsonb, '{"waiting": true}'::jsonb)),
\ir audit_changed.sql
select id from changed
