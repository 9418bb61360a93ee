-- The outcome of retried dead letters: how many wait for their first attempt, and how many have failed again (those in neither table are
-- delivered); and whether a relay owns a lane of the subscription. One statement, as a relay moves a message between the tables at any
-- moment. Served by outbox_retry_pkey, outbox_dead_letter_pkey and outbox_subscription_pkey.
-- Parameters: subscription; subscription, ids; subscription, ids.
select count(*) filter (where waits and not failed) as waiting,
       count(*) filter (where failed) as failed,
       (select true
          from outbox_subscription
         where name = ?
           and owner is not null
           and lease_until > clock_timestamp()
           and not paused
         limit 1) is not null as owned
  from (select true as waits, attempts > 0 as failed
          from outbox_retry
         where subscription = ?
           and id = any (?::bigint[])
        union all
        select false, true
          from outbox_dead_letter
         where subscription = ?
           and id = any (?::bigint[])) as retried
