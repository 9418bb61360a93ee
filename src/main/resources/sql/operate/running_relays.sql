-- The relays that hold a lane or share a subscription now. Reads two small tables.
select owner as relay from outbox_subscription where owner is not null and lease_until > clock_timestamp()
union
select relay from outbox_relay where until > clock_timestamp()
 order by relay
