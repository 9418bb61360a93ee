-- Lets people see which errors dead letters have in common, however many there are. The column is computed from others when a row is
-- written, so adding it writes the table anew.
alter table outbox_dead_letter add column error_group bigint
    generated always as (hashtextextended(error_class || ' ' || left(error_text, 100), 0)) stored;

-- What blocks and for how long is counted every few seconds by each relay: from the indexes alone, however many messages wait.
drop index outbox_retry_due;
drop index outbox_retry_key;
create index outbox_retry_due on outbox_retry (subscription, lane, next_attempt_at) include (first_failed_at) where not blocked;
create index outbox_retry_key on outbox_retry (subscription, lane, aggregate_type, aggregate_id, id) include (blocked);

comment on index outbox_retry_due is 'Used by relays to find what is due in a lane and to count what waits, and by the command line to list what is tried next.';
comment on index outbox_retry_key is 'Used by relays to find the blocked keys of a lane, to count what is blocked and to let the messages of a key follow in order, and by the command line to find a key.';

-- The group stands first, so that no statement that walks a subscription in order of time takes this index for it.
create index outbox_dead_letter_group on outbox_dead_letter (error_group, subscription, last_failed_at) include (first_failed_at);

comment on column outbox_dead_letter.error_group is 'The same number for errors of one class whose texts begin alike; computed from both.';
comment on index outbox_dead_letter_group is 'Used by the HTTP API to count dead letters by their error, without reading the table.';
