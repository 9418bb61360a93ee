-- Changes by people in a subscription, newest first. Served by outbox_audit_subscription. Parameters: subscription, before id, rows.
select *
  from outbox_audit
 where subscription = ?
   and id < ?
 order by id desc
 limit ?
