-- Gives the lease back, so that another relay takes the lane at once. Served by outbox_subscription_pkey.
update outbox_subscription
set owner = null,
    lease_until = null
where name = ?
  and lane = ?
  and epoch = ?
