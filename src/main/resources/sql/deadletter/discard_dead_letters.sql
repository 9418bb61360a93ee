-- Deletes dead letters and writes the audit, in one statement. Locked in order of id and compared with the time
-- they were selected with, for the same reasons as in retry_dead_letters. Served by outbox_dead_letter_pkey.
-- Parameters: subscription, ids, ids, their last_failed_at in microseconds; subscription; who, via, reason.
with locked as (
    select id
      from outbox_dead_letter
     where subscription = ?
       and id = any (?::bigint[])
       and (extract(epoch from last_failed_at) * 1000000)::bigint = (?::bigint[])[array_position(?::bigint[], id)]
     order by id
       for update
),
removed as (
    delete from outbox_dead_letter
     where subscription = ?
       and id = any (array(select id from locked))
    returning *
),
audited as (
    insert into outbox_audit (who, via, action, subscription, message, detail, reason)
    select ?, ?, 'discard', subscription, id,
           jsonb_build_object('messageId', message_id,
                              'key', aggregate_type || '/' || aggregate_id,
                              'type', type,
                              'attempts', attempts,
                              'errorClass', error_class),
           ?
      from removed
     order by id
)
select id, aggregate_type, aggregate_id, lane from removed
