-- Whether a subscription exists. Served by outbox_subscription_pkey. Parameter: name.
select exists (select from outbox_subscription where name = ? and lane = 0)
