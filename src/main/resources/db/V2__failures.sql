-- What could not be delivered at once. Normal traffic writes nothing here: only exceptions are kept per message.
-- Each row holds the whole message, because it must outlive the partition that the message came from.
create table outbox_retry (
    subscription    text not null,
    lane            integer not null default 0,
    id              bigint not null,
    message_id      uuid not null,
    aggregate_type  text not null,
    aggregate_id    text not null,
    type            text not null,
    headers         jsonb,
    payload         json,
    created_at      timestamptz not null,
    blocked         boolean not null,
    attempts        integer not null default 0,
    next_attempt_at timestamptz,
    first_failed_at timestamptz,
    last_failed_at  timestamptz,
    error_class     text,
    error_text      text,
    edited          boolean not null default false,
    constraint outbox_retry_pkey primary key (subscription, id),
    constraint outbox_retry_blocked_has_no_time check (blocked = (next_attempt_at is null)),
    constraint outbox_retry_attempts_not_negative check (attempts >= 0),
    constraint outbox_retry_error_is_bounded check (length(error_text) <= 2000)
);

create index outbox_retry_due on outbox_retry (subscription, next_attempt_at) where not blocked;
create index outbox_retry_key on outbox_retry (subscription, aggregate_type, aggregate_id, id);

comment on table outbox_retry is 'Messages waiting for another attempt, and messages blocked behind them: one row per message and subscription. Written by relays, by retry of a dead letter and by replay.';
comment on column outbox_retry.blocked is 'True: waits behind an earlier message of its key and has no attempts of its own. False: is tried at next_attempt_at.';
comment on column outbox_retry.attempts is 'Attempts that failed by the fault of the message. An outage of the destination counts none.';
comment on column outbox_retry.next_attempt_at is 'When it is tried again; null while blocked.';
comment on column outbox_retry.error_class is 'Class of the last error.';
comment on column outbox_retry.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_retry.edited is 'True when a person changed payload or headers before this retry; the audit has the original.';
comment on index outbox_retry_pkey is 'Used when an attempt ends: the row is updated or removed.';
comment on index outbox_retry_due is 'Used by relays to find what is due, and by the command line to list what is tried next.';
comment on index outbox_retry_key is 'Used by relays to let the messages of a key follow in order, and by the command line to find a key.';

create table outbox_dead_letter (
    subscription    text not null,
    lane            integer not null default 0,
    id              bigint not null,
    message_id      uuid not null,
    aggregate_type  text not null,
    aggregate_id    text not null,
    type            text not null,
    headers         jsonb,
    payload         json,
    created_at      timestamptz not null,
    attempts        integer not null,
    first_failed_at timestamptz not null,
    last_failed_at  timestamptz not null,
    error_class     text not null,
    error_text      text not null,
    error_stack     text not null,
    step            text,
    edited          boolean not null default false,
    constraint outbox_dead_letter_pkey primary key (subscription, id),
    constraint outbox_dead_letter_attempts_not_negative check (attempts >= 0),
    constraint outbox_dead_letter_error_is_bounded check (length(error_text) <= 2000 and length(error_stack) <= 8000)
);

create index outbox_dead_letter_time on outbox_dead_letter (subscription, last_failed_at, id);
create index outbox_dead_letter_key on outbox_dead_letter (subscription, aggregate_type, aggregate_id);
create index outbox_dead_letter_message on outbox_dead_letter (message_id);

comment on table outbox_dead_letter is 'Messages that are not tried again unless a person retries them. Written by relays, and by people who give a message up. A person can also discard them. Never pruned.';
comment on column outbox_dead_letter.attempts is 'Attempts that failed by the fault of the message.';
comment on column outbox_dead_letter.error_class is 'Class of the last error.';
comment on column outbox_dead_letter.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_dead_letter.error_stack is 'Stack trace of the last error, cut to 8000 characters; empty when a person gave the message up.';
comment on column outbox_dead_letter.step is 'The endpoint in the route that failed, without its options.';
comment on column outbox_dead_letter.edited is 'True when a person changed payload or headers before the last retry.';
comment on index outbox_dead_letter_pkey is 'Used to show, retry or discard one dead letter.';
comment on index outbox_dead_letter_time is 'Used to list and to select dead letters by time, newest first, page by page.';
comment on index outbox_dead_letter_message is 'Used to find the dead letters of a message id, whatever the subscription.';
comment on index outbox_dead_letter_key is 'Used to find the dead letters of a key, and by relays when a dead letter blocks its key.';

create table outbox_audit (
    id           bigint generated always as identity,
    at           timestamptz not null default clock_timestamp(),
    who          text not null,
    action       text not null,
    subscription text not null,
    message      bigint,
    detail       jsonb not null default '{}',
    reason       text,
    constraint outbox_audit_pkey primary key (id),
    constraint outbox_audit_action_is_known check (action in ('retry', 'give-up', 'discard', 'pause', 'resume', 'replay', 'delete', 'prune')),
    constraint outbox_audit_detail_is_an_object check (jsonb_typeof(detail) = 'object')
);

create index outbox_audit_message on outbox_audit (subscription, message);
create index outbox_audit_subscription on outbox_audit (subscription, id);

comment on table outbox_audit is 'What people changed: one row per message retried, given up or discarded, per change of a subscription, and per prune of the outbox.';
comment on column outbox_audit.who is 'The person, or the account of the operating system that ran the command.';
comment on column outbox_audit.action is 'What was done: the verb of the command.';
comment on column outbox_audit.subscription is 'The subscription that was changed; * for a prune, which is about all of them.';
comment on column outbox_audit.message is 'Id of the message in the outbox, if one message was changed.';
comment on column outbox_audit.detail is 'What exactly: filters, counts, and the original payload and headers of an edited message.';
comment on column outbox_audit.reason is 'Why, in the words of the person.';
comment on index outbox_audit_pkey is 'Used to list what was done, newest first.';
comment on index outbox_audit_message is 'Used to show what was done to a message.';
comment on index outbox_audit_subscription is 'Used to list what was done to a subscription, newest first.';

-- Replay must not hand a subscription the messages of others: it needs the types that the route selects.
alter table outbox_subscription add column types text[];

comment on column outbox_subscription.types is 'Patterns of LIKE that select the messages of this subscription; written by the relay when it takes the lane, null before. Used by replay.';

-- A relay whose save was not answered finds out by this number what became of it. The id of the transaction would not do:
-- after a crash Postgres gives out again the ids of transactions that had not reached its log.
alter table outbox_subscription add column saves bigint not null default 0;

comment on column outbox_subscription.saves is 'How many times progress was saved. Tells a relay whether a save whose answer was lost is in the table.';

-- Relays drop partitions that are delivered everywhere.
comment on table outbox is 'Messages to deliver, in order of id. Applications insert in the transaction of their business rows; relays only read, and drop whole partitions that are delivered everywhere and older than the retention.';

create index outbox_idempotent_time on outbox_idempotent (createdat);

comment on index outbox_idempotent_time is 'Used by relays to forget old ids.';
