-- Changes by people in a subscription, newest first. Served by outbox_audit_subscription.
select *
  from outbox_audit
 where subscription = :subscription
   and id < :before
 order by id desc
 limit :limit
