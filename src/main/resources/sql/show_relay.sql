-- Shows the other relays that this one shares the subscription, until a time, and forgets those that are long gone.
-- Parameters: subscription, relay; subscription, relay, lanes, time in ms. Served by outbox_relay_pkey.
with gone as (
    delete from outbox_relay
    where subscription = ?
      and relay <> ?
      and until < clock_timestamp() - interval '1 minute'
)
insert into outbox_relay (subscription, relay, lanes, until)
values (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
on conflict (subscription, relay) do update
set lanes = excluded.lanes,
    until = excluded.until
