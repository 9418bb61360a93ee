-- Whether the last take-over that handed a table to a subscription has also created it; empty if it has not. Served by
-- outbox_audit_subscription. Parameters: the subscription, twice.
select 1
  from outbox_audit
 where subscription = ?
   and action = 'take-over'
   and detail -> 'created' = 'true'
   and id > coalesce((select max(id) from outbox_audit where subscription = ? and action in ('take-over-undo', 'delete')), 0)
