-- Shows the other relays that this one shares the subscription, until a time, and forgets those that are long gone. One that shows
-- itself for longer than its time from now did so before the clock was set back: it is there for that time, unless it shows itself again.
-- Parameters: subscription, relay (twice); subscription, relay, lanes, time in ms (twice). Served by outbox_relay_pkey.
with gone as (
    delete from outbox_relay
    where subscription = ?
      and relay <> ?
      and until < clock_timestamp() - interval '1 minute'
),
shortened as (
    update outbox_relay
    set until = clock_timestamp() + lease_millis * interval '1 millisecond'
    where subscription = ?
      and relay <> ?
      and until > clock_timestamp() + lease_millis * interval '1 millisecond'
)
insert into outbox_relay (subscription, relay, lanes, until, lease_millis)
values (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond', ?)
on conflict (subscription, relay) do update
set lanes = excluded.lanes,
    until = excluded.until,
    lease_millis = excluded.lease_millis
