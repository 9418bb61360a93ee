-- Locks the lanes of a subscription, so that no relay claims or saves one meanwhile. Returns the owners of current leases, why
-- the subscription is halted, and the positions. Served by outbox_subscription_pkey.
select lane,
       case when lease_until > clock_timestamp() then owner end as holder,
       halted_reason,
       position
  from outbox_subscription
 where name = :name
 order by lane
   for update
