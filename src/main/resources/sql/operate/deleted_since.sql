-- Whether a person has deleted a subscription after an entry of the audit. The order makes the server use outbox_audit_subscription.
select true
  from outbox_audit
 where subscription = :subscription
   and id > :entry
   and action = 'delete'
 order by id
 limit 1
