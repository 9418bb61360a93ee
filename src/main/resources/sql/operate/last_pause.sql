-- Who paused a subscription or an intake last, when and why. Served by outbox_audit_subscription.
select at, who, reason
  from outbox_audit
 where subscription = :subscription
   and action = 'pause'
 order by id desc
 limit 1
