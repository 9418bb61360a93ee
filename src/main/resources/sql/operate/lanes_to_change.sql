-- Locks the lanes of a subscription before their number is changed, so that no relay claims or saves one meanwhile. Returns the
-- owners of current leases. Served by outbox_subscription_pkey.
select lane,
       position,
       paused,
       case when lease_until > clock_timestamp() then owner end as holder
  from outbox_subscription
 where name = :name
 order by lane
   for update
