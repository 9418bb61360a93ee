-- The keys of a subscription that are blocked by a message that waits for another attempt, the longest failing first,
-- and the number of messages behind it. Reads a limited number of messages that have a time for their next attempt, by
-- outbox_retry_due, and behind each a limited number of its key, by outbox_retry_key; stops when it has found enough. The lane of each says what
-- can stop it.
select head.subscription,
       head.aggregate_type,
       head.aggregate_id,
       head.id,
       head.first_failed_at,
       head.next_attempt_at,
       head.error_class,
       head.error_text,
       behind.messages,
       coalesce(of_lane.paused, false) as paused,
       of_lane.halted_at is not null as halted,
       case when of_lane.lease_until > clock_timestamp() then of_lane.owner end as owner,
       case when of_lane.lease_until > clock_timestamp() then of_lane.next_probe_at end as next_probe_at
  from (select first.*
          from (select subscription, lane, id, aggregate_type, aggregate_id, first_failed_at, next_attempt_at, error_class,
                       left(error_text, 300) as error_text
                  from outbox_retry
                 where subscription = :subscription
                   and not blocked
                 limit :examined) first
         where first.first_failed_at <= :since::timestamptz
         order by first.first_failed_at, first.id) head
\ir messages_behind.sql
  left join outbox_subscription of_lane on of_lane.name = head.subscription and of_lane.lane = head.lane
 where behind.messages > 0
 order by head.first_failed_at, head.id
 limit :limit
