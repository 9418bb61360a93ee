-- The lanes of a subscription, locked so that no relay claims or saves one meanwhile, who holds them by a lease that has
-- not ended, and why it is halted. Served by outbox_subscription_pkey.
select lane,
       case when lease_until > clock_timestamp() then owner end as holder,
       halted_reason
  from outbox_subscription
 where name = ?
 order by lane
   for update
