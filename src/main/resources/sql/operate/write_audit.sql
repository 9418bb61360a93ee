-- Inserts one row into the audit, in the transaction of the change.
insert into outbox_audit (who, via, action, subscription, detail, reason)
values (:who, :via, :action, :subscription, :detail::jsonb, :reason)
returning id
