-- What can stop the lanes of some subscriptions, and when an unavailable destination is probed next: one row for each lane. An intake has no
-- lanes and is one row. Served by outbox_subscription_pkey; there are few intakes.
select name,
       lane,
       paused,
       halted_at is not null as halted,
       case when lease_until > clock_timestamp() then owner end as owner,
       case when lease_until > clock_timestamp() then next_probe_at end as next_probe_at
  from outbox_subscription
 where name = any (:subscriptions::text[])
 union all
select 'intake:' || intake,
       0,
       paused,
       halted,
       case when lease_until > clock_timestamp() then relay end,
       null
  from outbox_intake
 where 'intake:' || intake = any (:subscriptions::text[])
