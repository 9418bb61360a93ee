-- Claims a lane whose lease no relay holds, or whose owner has ended: its row contains a session of the array. One statement, so that only
-- one of two relays gets it; the new epoch fences the previous owner. The conditions on the number of lanes and on the session are part of
-- the update, which is evaluated again after a wait for the lock of the row: a relay never gets a lane of a number that was just changed.
-- During such a change, only a lane below the barrier can be claimed.
-- Stores the message types of the route for replays, and whether dead letters block their keys for manual changes. Deletes the report of
-- the previous owner. Merges the older gaps into the gaps. Returns one row if the subscription exists: its number of lanes, the lane
-- if it was claimed, with the file of the sequence that is stored and the current one, and why the subscription is halted; the time of the
-- permits that the last owner has not used, and whether it has released the lane. Served by outbox_subscription_pkey.
-- Stores the file of the sequence if the lane has read nothing yet, and after a restored dump, whose table and sequence are new.
-- A lease that ends later than its duration from now was granted before the clock was set back. It is shortened to its duration and
-- not claimed: its owner may be running, and then renews it.
with shortened as (
    update outbox_subscription
    set lease_until = clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
    where name = :subscription
      and lane = :lane
      and lease_until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
),
claimed as (
    update outbox_subscription
    set owner = :relay,
        gaps = gaps operator(pg_catalog.+) coalesce(older_gaps, '{}'),
        older_gaps = null,
        sequence_file = case when stored_in = outbox_subscription.tableoid and position > 0 then sequence_file
                             else pg_relation_filenode('outbox_id_seq'::regclass) end,
        stored_in = outbox_subscription.tableoid,
        epoch = epoch + 1,
        lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond',
        lease_millis = :lease_millis,
        presence = :session::bigint,
        presence_server = :session_server::bigint,
        types = :types::text[],
        dead_letters_block = :dead_letters_block,
        in_flight = null,
        latency_millis = null,
        destination_unavailable_since = null,
        destination_error = null,
        next_probe_at = null,
        rate_limit = null,
        attempts_per_second = null,
        waits_for_rate = null,
        follows_tail = null
    where name = :subscription
      and lane = :lane
      and lanes = :lanes
      and not paused
      and halted_at is null
      and (lease_until is null or presence = any (:ended_sessions::bigint[]) or lease_until < clock_timestamp())
      and (barrier is null or barrier_until not between clock_timestamp() and clock_timestamp() + interval '10 seconds' or position < barrier)
    returning epoch,
              position,
              gaps::text,
              delivered,
              (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
              sequence_file::bigint,
              pg_relation_filenode('outbox_id_seq'::regclass)::bigint as current_file,
              case when barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds' then barrier end as read_to,
              saves
),
present as (
    select owner is null as released,
           (extract(epoch from clock_timestamp() - permits_since) * 1000.0)::bigint as permits_millis
    from outbox_subscription
    where name = :subscription
      and lane = :lane
)
select subscription.lanes,
       claimed.epoch,
       claimed.position,
       claimed.gaps,
       claimed.last_id,
       coalesce(claimed.read_to, 9223372036854775807),
       claimed.delivered,
       claimed.saves,
       subscription.halted_reason,
       present.permits_millis,
       present.released,
       claimed.sequence_file,
       claimed.current_file
from outbox_subscription as subscription
left join claimed on true
left join present on true
where subscription.name = :subscription
  and subscription.lane = 0
