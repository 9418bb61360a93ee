-- The relays that hold lanes or share a subscription, with their lanes, and until when each one is present. Reads two small tables.
select owner as relay, name as subscription, lane, epoch, follows_tail, lease_until, lease_until as until
  from outbox_subscription
 where owner is not null
union all
select relay, null, null, null, null, null, until
  from outbox_relay
 order by relay, subscription, lane
