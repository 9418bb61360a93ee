-- What prevents a subscription from making attempts, so that the outcome of a retry cannot be observed. One row, also for an unknown subscription.
-- An intake that fails counts as a destination that is unavailable. Served by outbox_subscription_pkey; there are few intakes.
select coalesce(bool_or(paused or halted_at is not null), true) as stopped,
       coalesce(bool_or(owner is not null and lease_until > clock_timestamp()), false) as owned,
       coalesce(bool_or(lease_until > clock_timestamp() and destination_unavailable_since is not null), false) as unavailable
  from (select paused, halted_at, owner, lease_until, destination_unavailable_since
          from outbox_subscription
         where name = :subscription
         union all
        select paused, case when halted then clock_timestamp() end, relay, lease_until, failing_since
          from outbox_intake
         where 'intake:' || intake = :subscription) part
