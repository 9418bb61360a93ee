-- Returns a row if the last take-over of a subscription created the subscription. Served by
-- outbox_audit_subscription.
select 1
  from outbox_audit
 where subscription = :subscription
   and action = 'take-over'
   and detail -> 'created'::text = 'true'::jsonb
   and id > coalesce((select max(id) from outbox_audit where subscription = :subscription and action in ('take-over-undo', 'delete')), 0)
