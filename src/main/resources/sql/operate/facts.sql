-- The facts that decide whether a message is delivered, for each of some subscriptions: the lane of its key, its row in the side tables, and the
-- messages before it: those of its key or, for an unread message in order strict, all. One statement, so that a message that moves meanwhile
-- is seen in one place. Counts are bounded. The ranges of the gaps are in order of id, so the first missing id found is the lowest.
-- An intake is one lane that has read everything: its rejected rows are in the side tables or copied.
-- Served by the primary keys, outbox_retry_key, outbox_dead_letter_key and the indexes of outbox_audit.
with message (type, aggregate_type, aggregate_id, id, rows, subscriptions) as (
    values (:type::text, :keyType::text, :keyId::text, :id::bigint, :examined::integer, :subscriptions::text[])
)
select subscription.name,
       subscription.lane,
       subscription.lanes,
       subscription.types,
       not message.type like any (coalesce(subscription.types, '{%}')) as not_selected,
       message.id > subscription.position as not_reached,
       subscription.gaps operator(pg_catalog.@>) message.id or coalesce(subscription.older_gaps operator(pg_catalog.@>) message.id, false) as open,
       case when subscription.lease_until > clock_timestamp() then subscription.owner end as owner,
       subscription.saved_at,
       (select outbox.created_at from outbox where outbox.id = message.id) as written_at,
       subscription.paused,
       pause.at as pause_at,
       pause.who as pause_who,
       pause.reason as pause_reason,
       subscription.halted_at as halt_since,
       subscription.halted_reason as halt_reason,
       coalesce(subscription.barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds', false) as changing,
       case when subscription.lease_until > clock_timestamp() then subscription.destination_unavailable_since end as outage_since,
       subscription.destination_error as outage_error,
       subscription.next_probe_at as outage_next_probe,
       case when subscription.waits_for_rate then subscription.rate_limit end as rate_limit,
       dead.id as dead_id,
       dead.attempts as dead_attempts,
       dead.last_failed_at as dead_last_failed_at,
       null::timestamptz as dead_next_attempt_at,
       dead.error_class as dead_error_class,
       dead.error_text as dead_error_text,
       dead.answer as dead_answer,
       retry.blocked,
       retry.id as retry_id,
       retry.attempts as retry_attempts,
       retry.last_failed_at as retry_last_failed_at,
       retry.next_attempt_at as retry_next_attempt_at,
       retry.error_class as retry_error_class,
       retry.error_text as retry_error_text,
       retry.answer as retry_answer,
       behind.messages as behind,
       first.id as first_id,
       first.attempts as first_attempts,
       first.last_failed_at as first_last_failed_at,
       first.next_attempt_at as first_next_attempt_at,
       first.error_class as first_error_class,
       first.error_text as first_error_text,
       first.answer as first_answer,
       blocker.id as dead_before,
       waits.behind_all,
       ahead.messages as ahead,
       ahead.examined >= message.rows as more_ahead,
       missing.id as missing_before,
       changed.action = 'discard' as discarded,
       undoable.id is not null as discard_can_be_undone
  from message
  join (select name, lane, lanes, types, position, gaps, older_gaps, owner, lease_until, saved_at, paused, halted_at, halted_reason, barrier_until,
               destination_unavailable_since, destination_error, next_probe_at, waits_for_rate, rate_limit, dead_letters_block, strict
          from outbox_subscription
         union all
        select 'intake:' || intake, 0, 1, null, 9223372036854775807, '{}', null, relay, lease_until, caught_up_at, paused,
               case when halted then coalesce(failing_since, caught_up_at) end, error, null,
               case when not halted then failing_since end, error, null, false, null, false, false
          from outbox_intake) subscription
    on subscription.name = any (message.subscriptions)
   and subscription.lane = outbox_lane(message.aggregate_type, message.aggregate_id, subscription.lanes)
  left join outbox_dead_letter dead on dead.subscription = subscription.name and dead.id = message.id
  left join outbox_retry retry on retry.subscription = subscription.name and retry.id = message.id
  left join outbox_discarded undoable on undoable.subscription = subscription.name and undoable.id = message.id
 cross join lateral (select coalesce(subscription.strict, false) and retry.id is null as behind_all) waits
 cross join lateral (select count(*) as messages, min(part.id) as first_id
                       from ((select id
                                from outbox_retry
                               where not waits.behind_all
                                 and outbox_retry.subscription = subscription.name
                                 and outbox_retry.lane = subscription.lane
                                 and key_hash = outbox_key_hash(message.aggregate_type, message.aggregate_id)
                                 and outbox_retry.aggregate_type = message.aggregate_type
                                 and outbox_retry.aggregate_id = message.aggregate_id
                                 and outbox_retry.id < message.id
                               order by id
                               limit 1000)
                             union all
                             (select id
                                from outbox_retry
                               where waits.behind_all
                                 and outbox_retry.subscription = subscription.name
                                 and outbox_retry.id < message.id
                               order by id
                               limit 1000)) part) behind
  left join outbox_retry first on first.subscription = subscription.name and first.id = behind.first_id
 cross join lateral (select min(part.id) as id
                       from ((select id
                                from outbox_dead_letter
                               where subscription.dead_letters_block
                                 and not waits.behind_all
                                 and outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.lane = subscription.lane
                                 and outbox_key_hash(aggregate_type, aggregate_id)
                                     = outbox_key_hash(message.aggregate_type, message.aggregate_id)
                                 and outbox_dead_letter.aggregate_type = message.aggregate_type
                                 and outbox_dead_letter.aggregate_id = message.aggregate_id
                                 and outbox_dead_letter.id < message.id
                               limit 1000)
                             union all
                             (select id
                                from outbox_dead_letter
                               where waits.behind_all
                                 and outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.id < message.id
                               order by id
                               limit 1)) part) blocker
 cross join lateral (select count(*) as examined,
                            count(*) filter (where part.type like any (coalesce(subscription.types, '{%}'))
                                               and subscription.lane
                                                   = outbox_lane(part.aggregate_type, part.aggregate_id, subscription.lanes)) as messages
                       from (select type, aggregate_type, aggregate_id
                               from outbox
                              where id > subscription.position
                                and id < message.id
                              order by id
                              limit message.rows) part) ahead
  left join lateral (select part.id
                       from (select generate_series(pg_catalog.lower(gap), least(pg_catalog.upper(gap), message.id) - 1) as id
                               from pg_catalog.unnest(subscription.gaps operator(pg_catalog.+) coalesce(subscription.older_gaps, '{}')) gap
                              where waits.behind_all
                              limit message.rows) part
                      where (select true from outbox where outbox.id = part.id) is null
                      limit 1) missing on true
  left join lateral (select at, who, reason
                       from outbox_audit
                      where outbox_audit.subscription = subscription.name
                        and action = 'pause'
                      order by id desc
                      limit 1) pause on subscription.paused
  left join lateral (select action
                       from ((select id, action
                                from outbox_audit
                               where outbox_audit.subscription = subscription.name
                                 and outbox_audit.message = message.id
                               order by id desc
                               limit 1)
                             union all
                             select id, action
                               from outbox_audit
                              where outbox_audit.messages operator(pg_catalog.@>) message.id
                                and outbox_audit.subscription = subscription.name) part
                      order by id desc
                      limit 1) changed on true
 order by subscription.name
