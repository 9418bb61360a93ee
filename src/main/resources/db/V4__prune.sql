-- A person can prune the outbox; the audit tells it by a verb of its own.
alter table outbox_audit
    drop constraint outbox_audit_action_is_known,
    add constraint outbox_audit_action_is_known check (action in ('retry', 'give-up', 'discard', 'pause', 'resume', 'replay', 'delete', 'prune'));

comment on table outbox_audit is 'What people changed: one row per message retried, given up or discarded, per change of a subscription, and per prune of the outbox.';
comment on column outbox_audit.subscription is 'The subscription that was changed; * for a prune, which is about all of them.';
comment on table outbox is 'Messages to deliver, in order of id. Applications insert in the transaction of their business rows; relays only read, and drop whole partitions that are delivered everywhere and older than the retention.';
