-- What prevents a subscription from making attempts, so that the outcome of a retry cannot be observed. One row, also for an unknown subscription.
-- Served by outbox_subscription_pkey.
select coalesce(bool_or(paused or halted_at is not null), true) as stopped,
       coalesce(bool_or(owner is not null and lease_until > clock_timestamp()), false) as owned,
       coalesce(bool_or(lease_until > clock_timestamp() and destination_unavailable_since is not null), false) as unavailable
  from outbox_subscription
 where name = :subscription
