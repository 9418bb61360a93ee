-- One row of the audit, in the transaction of the change it tells about.
insert into outbox_audit (who, action, subscription, detail, reason)
values (?, ?, ?, ?::jsonb, ?)
returning id
