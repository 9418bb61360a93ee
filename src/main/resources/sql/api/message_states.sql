-- The state of a message in each subscription: the lane of its key, and whether it waits or is a dead letter. One statement, so that
-- a message that moves meanwhile is seen in one place. Served by the primary keys of all tables.
-- Parameters: type, key (type, id), id.
with message (type, aggregate_type, aggregate_id, id) as (
    values (?::text, ?::text, ?::text, ?::bigint)
)
select subscription.name,
       subscription.lane,
       message.id > subscription.position as not_reached,
       subscription.gaps @> message.id or coalesce(subscription.older_gaps @> message.id, false) as open,
       case when subscription.lease_until > clock_timestamp() then subscription.owner end as owner,
       subscription.paused,
       subscription.types is not null and not message.type like any (subscription.types) as not_selected,
       retry.blocked,
       retry.attempts as retry_attempts,
       retry.next_attempt_at,
       retry.first_failed_at as retry_first_failed_at,
       retry.error_class as retry_error_class,
       left(retry.error_text, 300) as retry_error_text,
       dead.attempts,
       dead.first_failed_at,
       dead.last_failed_at,
       dead.error_class,
       left(dead.error_text, 300) as error_text
  from message
 cross join outbox_subscription subscription
  left join lateral (select *
                       from outbox_retry
                      where outbox_retry.subscription = subscription.name
                        and outbox_retry.id = message.id
                      limit 1) retry on true
  left join lateral (select *
                       from outbox_dead_letter
                      where outbox_dead_letter.subscription = subscription.name
                        and outbox_dead_letter.id = message.id
                      limit 1) dead on true
 where subscription.lane = outbox_lane(message.aggregate_type, message.aggregate_id, subscription.lanes)
 order by subscription.name
