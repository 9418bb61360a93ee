-- Inserts one row of the audit, in the transaction of the change.
insert into outbox_audit (who, action, subscription, detail, reason)
values (?, ?, ?, ?::jsonb, ?)
returning id
