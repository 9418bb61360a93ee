-- Takes the lease of a lane that nobody holds. One statement, so that of two relays only one gets it; the new epoch fences
-- whoever held it before. Leaves the types that the route selects for replay. Served by outbox_subscription_pkey.
update outbox_subscription
set owner = ?,
    epoch = epoch + 1,
    lease_until = clock_timestamp() + ? * interval '1 millisecond',
    types = ?::text[]
where name = ?
  and lane = ?
  and not paused
  and (lease_until is null or lease_until < clock_timestamp())
returning epoch, position, gaps::text, (select last_value - (not is_called)::int from outbox_id_seq)
