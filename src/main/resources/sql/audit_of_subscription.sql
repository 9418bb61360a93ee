-- What people changed in a subscription, newest first. Served by outbox_audit_subscription.
select *
  from outbox_audit
 where subscription = ?
 order by id desc
 limit ?
