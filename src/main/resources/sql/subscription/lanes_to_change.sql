-- The lanes of a subscription whose number is to be changed, locked so that no relay claims or saves one meanwhile, and who holds
-- them by a lease that has not ended. Served by outbox_subscription_pkey.
select lane,
       position,
       paused,
       case when lease_until > clock_timestamp() then owner end as holder
  from outbox_subscription
 where name = ?
 order by lane
   for update
