-- Whether the subscription exists whose outcome an intake writes back. Used by Outcomes once a minute. Served by outbox_subscription_pkey.
select exists (select from outbox_subscription where name = :subscription)
