-- Registers this relay with the others that share its subscriptions of several lanes, until a time, and removes entries that ended long ago. An
-- entry that ends later than its duration from now was written before the clock was set back: it is shortened to its duration. An entry that
-- another relay is changing is skipped, so that relays that register at once do not wait for each other. One statement for all subscriptions.
-- Served by outbox_relay_pkey.
with shown as (
    insert into outbox_relay (subscription, relay, lanes, until, lease_millis, presence)
    select subscription, :relay, lanes, clock_timestamp() + :lease_millis::double precision * interval '1 millisecond', :lease_millis, :session::bigint
    from unnest(:subscriptions::text[], :lanes::integer[]) as shared (subscription, lanes)
    on conflict (subscription, relay) do update
    set lanes = excluded.lanes,
        until = excluded.until,
        lease_millis = excluded.lease_millis,
        presence = excluded.presence
    returning subscription
),
wrong as materialized (
    select other.subscription, other.relay, until < clock_timestamp() as ended
    from shown
    join outbox_relay as other on other.subscription = shown.subscription
    where relay <> :relay
      and (until < clock_timestamp() - interval '1 minute'
           or until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond')
    for update of other skip locked
),
expired as (
    delete from outbox_relay
    using wrong
    where outbox_relay.subscription = wrong.subscription
      and outbox_relay.relay = wrong.relay
      and ended
)
update outbox_relay
set until = clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
from wrong
where outbox_relay.subscription = wrong.subscription
  and outbox_relay.relay = wrong.relay
  and not ended
