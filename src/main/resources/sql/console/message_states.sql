-- The state of a message in each subscription, or of a rejected row in its intake: the lane of its key, and whether it waits or is a dead letter. One statement, so that
-- a message that moves meanwhile is seen in one place. Served by the primary keys of all tables.
with message (type, aggregate_type, aggregate_id, id) as (
    values (:type::text, :keyType::text, :keyId::text, :id::bigint)
)
select subscription.name,
       subscription.lane,
       message.id > subscription.position as not_reached,
       subscription.gaps operator(pg_catalog.@>) message.id or coalesce(subscription.older_gaps operator(pg_catalog.@>) message.id, false) as open,
       case when subscription.lease_until > clock_timestamp() then subscription.owner end as owner,
       subscription.paused,
       subscription.halted_at is not null as halted,
       case when subscription.lease_until > clock_timestamp() then subscription.next_probe_at end as next_probe_at,
       subscription.types is not null and not message.type like any (subscription.types) as not_selected,
       dead.id is not null as dead,
       retry.blocked,
       retry.next_attempt_at,
       coalesce(dead.attempts, retry.attempts) as attempts,
       coalesce(dead.first_failed_at, retry.first_failed_at) as first_failed_at,
       coalesce(dead.last_failed_at, retry.last_failed_at) as last_failed_at,
       coalesce(dead.error_class, retry.error_class) as error_class,
       left(coalesce(dead.error_text, retry.error_text), 300) as error_text,
       left(coalesce(dead.answer, retry.answer), 300) as answer,
       coalesce(dead.attempt_relay, retry.attempt_relay) as attempt_relay,
       coalesce(dead.attempt_millis, retry.attempt_millis) as attempt_millis,
       coalesce(dead.earlier_attempts, retry.earlier_attempts) as earlier_attempts
  from message
 cross join (select name, lane, lanes, types, position, gaps, older_gaps, owner, lease_until, paused, halted_at, next_probe_at
               from outbox_subscription
              where :intake::text is null
              union all
             select 'intake:' || intake, 0, 1, null, 9223372036854775807, '{}', null, relay, lease_until, paused,
                    case when halted then clock_timestamp() end, null
               from outbox_intake
              where 'intake:' || intake = :intake::text) subscription
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
