-- Whether a person has deleted a subscription after an entry of the audit. Served by outbox_audit_subscription.
select true
  from outbox_audit
 where subscription = :subscription
   and id > :entry
   and action = 'delete'
 limit 1
