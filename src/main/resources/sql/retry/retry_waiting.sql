-- Lets messages that wait for another attempt be tried now, and says so in the audit, in one statement. Only those that still
-- wait for the attempt they were selected with: what was tried since, is blocked or gone, is left alone. What is due already
-- keeps its place. The transaction has locked the subscription, so no save of a relay runs meanwhile. Served by outbox_retry_pkey.
-- Parameters: subscription, ids, ids, their next_attempt_at in microseconds; subscription; who, reason.
with locked as (
    select id
      from outbox_retry
     where subscription = ?
       and id = any (?::bigint[])
       and not blocked
       and (extract(epoch from next_attempt_at) * 1000000)::bigint = (?::bigint[])[array_position(?::bigint[], id)]
     order by id
       for update
),
advanced as (
    update outbox_retry
       set next_attempt_at = least(next_attempt_at, clock_timestamp())
     where subscription = ?
       and id = any (array(select id from locked))
    returning *
),
audited as (
    insert into outbox_audit (who, action, subscription, message, detail, reason)
    select ?, 'retry', subscription, id,
           jsonb_build_object('messageId', message_id,
                              'key', aggregate_type || '/' || aggregate_id,
                              'type', type,
                              'attempts', attempts,
                              'errorClass', error_class,
                              'waiting', true),
           ?
      from advanced
     order by id
)
select id from advanced
