-- What can stop the lanes of some subscriptions, and when an unavailable destination is probed next: one row for each lane. Served by
-- outbox_subscription_pkey.
select name,
       lane,
       paused,
       halted_at is not null as halted,
       case when lease_until > clock_timestamp() then owner end as owner,
       case when lease_until > clock_timestamp() then next_probe_at end as next_probe_at
  from outbox_subscription
 where name = any (:subscriptions::text[])
