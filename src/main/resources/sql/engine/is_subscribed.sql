-- Whether a subscription exists. Served by outbox_subscription_pkey.
select exists (select from outbox_subscription where name = :subscription and lane = 0)
