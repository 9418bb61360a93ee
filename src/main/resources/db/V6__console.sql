-- Lets people see which errors dead letters have in common, however many there are. The column is computed from others when a row is
-- written, so adding it writes the table anew.
alter table outbox_dead_letter add column error_group bigint
    generated always as (hashtextextended(error_class || ' ' || left(error_text, 100), 0)) stored;

-- The group stands first, so that no statement that walks a subscription in order of time takes this index for it.
create index outbox_dead_letter_group on outbox_dead_letter (error_group, subscription, last_failed_at) include (first_failed_at);

comment on column outbox_dead_letter.error_group is 'The same number for errors of one class whose texts begin alike; computed from both.';
comment on index outbox_dead_letter_group is 'Used by the HTTP API to count dead letters by their error, without reading the table.';
