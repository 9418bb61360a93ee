-- Takes the lease of a lane that nobody holds. One statement, so that of two relays only one gets it; the new epoch fences
-- whoever held it before. The number of lanes is compared in the row itself, which is looked at again after a wait for its
-- lock: nobody gets a lane of a number that was just changed. While it is being changed, only a lane below the barrier is given.
-- Leaves the types that the route selects for replay, and whether dead letters hold back their keys for people who give up or discard,
-- and forgets what the holder before told of the lane. The older gaps become gaps like others. One row if the subscription exists: how many lanes it has, and the lane
-- if it was taken, and why the subscription is halted. Served by outbox_subscription_pkey.
-- A lease that ends later than its duration from now was given before the clock was set back. It is shortened to its duration, and
-- not taken: its owner may live, and renews it then.
-- Parameters: name, lane; relay, lease in ms (twice), types, whether dead letters block; name, lane, lanes; name.
with shortened as (
    update outbox_subscription
    set lease_until = clock_timestamp() + lease_millis * interval '1 millisecond'
    where name = ?
      and lane = ?
      and lease_until > clock_timestamp() + lease_millis * interval '1 millisecond'
),
claimed as (
    update outbox_subscription
    set owner = ?,
        gaps = gaps + coalesce(older_gaps, '{}'),
        older_gaps = null,
        epoch = epoch + 1,
        lease_until = clock_timestamp() + ? * interval '1 millisecond',
        lease_millis = ?,
        types = ?::text[],
        dead_letters_block = ?,
        in_flight = null,
        latency_millis = null,
        destination_unavailable_since = null,
        destination_error = null,
        next_probe_at = null
    where name = ?
      and lane = ?
      and lanes = ?
      and not paused
      and halted_at is null
      and (lease_until is null or lease_until < clock_timestamp())
      and (barrier is null or barrier_until not between clock_timestamp() and clock_timestamp() + interval '10 seconds' or position < barrier)
    returning epoch,
              position,
              gaps::text,
              delivered,
              (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
              case when barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds' then barrier end as read_to,
              saves
)
select subscription.lanes,
       claimed.epoch,
       claimed.position,
       claimed.gaps,
       claimed.last_id,
       coalesce(claimed.read_to, 9223372036854775807),
       claimed.delivered,
       claimed.saves,
       subscription.halted_reason
from outbox_subscription as subscription
left join claimed on true
where subscription.name = ?
  and subscription.lane = 0
