-- Registers this relay with the others that share the subscription, until a time, and removes entries that ended long ago. An entry that ends
-- later than its duration from now was written before the clock was set back: it is shortened to its duration.
-- Served by outbox_relay_pkey.
with expired as (
    delete from outbox_relay
    where subscription = :subscription
      and relay <> :relay
      and until < clock_timestamp() - interval '1 minute'
),
shortened as (
    update outbox_relay
    set until = clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
    where subscription = :subscription
      and relay <> :relay
      and until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
)
insert into outbox_relay (subscription, relay, lanes, until, lease_millis, presence)
values (:subscription, :relay, :lanes, clock_timestamp() + :lease_millis::double precision * interval '1 millisecond', :lease_millis, :session::bigint)
on conflict (subscription, relay) do update
set lanes = excluded.lanes,
    until = excluded.until,
    lease_millis = excluded.lease_millis,
    presence = excluded.presence
