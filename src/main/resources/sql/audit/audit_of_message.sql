-- Changes by people to one message of a subscription, oldest first. Served by outbox_audit_message.
select *
  from outbox_audit
 where subscription = ?
   and message = ?
 order by id
