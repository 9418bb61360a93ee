-- A person can give up a message that waits for another attempt; the audit tells it by a verb of its own.
alter table outbox_audit
    drop constraint outbox_audit_action_is_known,
    add constraint outbox_audit_action_is_known check (action in ('retry', 'give-up', 'discard', 'pause', 'resume', 'replay', 'delete'));

comment on table outbox_audit is 'What people changed: one row per message retried, given up or discarded, and per change of a subscription.';
comment on table outbox_dead_letter is 'Messages that are not tried again unless a person retries them. Written by relays, and by people who give a message up. A person can also discard them. Never pruned.';
comment on column outbox_dead_letter.error_stack is 'Stack trace of the last error, cut to 8000 characters; empty when a person gave the message up.';
comment on index outbox_retry_due is 'Used by relays to find what is due, and by the command line to list what is tried next.';
