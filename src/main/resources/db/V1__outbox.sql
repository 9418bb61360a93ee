-- The outbox: applications insert, relays read. Nothing is ever updated or deleted here;
-- old messages leave when whole partitions are dropped.
create table outbox (
    id             bigint generated always as identity (sequence name outbox_id_seq cache 1),
    message_id     uuid not null default gen_random_uuid(),
    aggregate_type text not null,
    aggregate_id   text not null,
    type           text not null,
    headers        jsonb,
    payload        json,
    created_at     timestamptz not null default clock_timestamp(),
    constraint outbox_pkey primary key (id),
    constraint outbox_headers_are_an_object check (headers is null or jsonb_typeof(headers) = 'object'),
    -- An index entry takes 2,704 bytes: a longer key could not be stored when its message fails.
    constraint outbox_key_and_type_are_bounded
        check (octet_length(aggregate_type) + octet_length(aggregate_id) + octet_length(type) <= 1000)
) partition by range (id);

comment on table outbox is 'Messages to deliver, in order of id. Applications insert in the transaction of their business rows; relays only read, and drop whole partitions that are delivered everywhere and older than the retention.';
comment on column outbox.id is 'The order of messages. Drawn by the insert itself (cache 1): relays rely on it to tell open transactions from rolled-back ones.';
comment on column outbox.message_id is 'The identity that receivers see, the same on every repeat. Set by the application or generated.';
comment on column outbox.aggregate_type is 'First half of the key: messages of one key are delivered in order.';
comment on column outbox.aggregate_id is 'Second half of the key, and the key of Kafka records.';
comment on column outbox.type is 'What happened, for example order.created. Subscriptions select by it.';
comment on column outbox.headers is 'Headers that travel with the message to its receivers: an object of strings, numbers and booleans.';
comment on column outbox.payload is 'The body, delivered byte for byte as written; null is delivered as an empty body (a Kafka tombstone).';
comment on column outbox.created_at is 'When the row was written (not when it was committed). Lag is measured from it.';
comment on index outbox_pkey is 'Used by the read of every subscription: after the position, and within its gaps.';

-- Takes what no other partition takes, so that no insert is ever refused. Relays make partitions ahead, so it stays empty.
create table outbox_default partition of outbox default;

-- The first million ids; relays add the following partitions in time.
create table outbox_from_0 partition of outbox for values from (0) to (1000000);

create table outbox_subscription (
    name                   text not null,
    lane                   integer not null default 0,
    lanes                  integer not null default 1,
    types                  text[],
    dead_letters_block     boolean,
    position               bigint not null,
    gaps                   int8multirange not null default '{}',
    older_gaps             int8multirange,
    delivered              bigint not null default 0,
    saves                  bigint not null default 0,
    saved_at               timestamptz not null default clock_timestamp(),
    owner                  text,
    epoch                  bigint not null default 0,
    lease_until            timestamptz,
    lease_millis           integer,
    barrier                bigint,
    barrier_until          timestamptz,
    paused                 boolean not null default false,
    halted_at              timestamptz,
    halted_reason          text,
    in_flight              integer,
    latency_millis         integer,
    destination_unavailable_since timestamptz,
    destination_error      text,
    next_probe_at          timestamptz,
    constraint outbox_subscription_pkey primary key (name, lane),
    constraint outbox_subscription_name_is_plain check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    constraint outbox_subscription_lane_not_negative check (lane >= 0),
    constraint outbox_subscription_lanes_in_range check (lanes between 1 and 64),
    constraint outbox_subscription_lane_below_lanes check (lane < lanes),
    constraint outbox_subscription_position_not_negative check (position >= 0),
    constraint outbox_subscription_gaps_up_to_position check (isempty(gaps) or (lower(gaps) >= 0 and upper(gaps) <= position + 1)),
    constraint outbox_subscription_delivered_not_negative check (delivered >= 0),
    constraint outbox_subscription_epoch_not_negative check (epoch >= 0),
    constraint outbox_subscription_owner_has_a_lease check ((owner is null) = (lease_until is null)),
    constraint outbox_subscription_lease_millis_positive check (lease_millis > 0),
    constraint outbox_subscription_barrier_has_an_end check ((barrier is null) = (barrier_until is null)),
    constraint outbox_subscription_halt_has_a_reason check ((halted_at is null) = (halted_reason is null)),
    constraint outbox_subscription_in_flight_not_negative check (in_flight >= 0),
    constraint outbox_subscription_latency_not_negative check (latency_millis >= 0),
    constraint outbox_subscription_away_with_error_and_probe
        check ((destination_unavailable_since is null) = (destination_error is null) and (destination_unavailable_since is null) = (next_probe_at is null)),
    constraint outbox_subscription_error_is_bounded check (length(destination_error) <= 2000)
) with (fillfactor = 20);

comment on table outbox_subscription is 'Progress of each reader of the outbox: one small row per subscription and lane, updated once per acknowledged batch.';
comment on column outbox_subscription.name is 'Name of the subscription: what follows outbox: in the route.';
comment on column outbox_subscription.lane is 'Slice of the subscription (hash of the key), worked by one relay at a time.';
comment on column outbox_subscription.lanes is 'How many lanes the subscription has: the same in each of its rows. Changed by ./caravan subscriptions lanes.';
comment on column outbox_subscription.types is 'Patterns of LIKE that select the messages of this subscription; written by the relay when it takes the lane, null before. Used by replay, so that it does not hand a subscription the messages of others.';
comment on column outbox_subscription.dead_letters_block is 'Whether a dead letter holds back later messages of its key (onDead=block, order strict); written by the relay when it takes the lane, null before. Used when a message is given up or discarded.';
comment on column outbox_subscription.position is 'Highest id taken. Every id at or below it is delivered, in gaps, or known never to appear.';
comment on column outbox_subscription.gaps is 'Ids at or below the position that are not delivered: missing (an open transaction may still fill them) or in flight. Those in older_gaps come on top.';
comment on column outbox_subscription.older_gaps is 'Missing ids that only wait for transactions that have been open for long. They may be many: most saves leave this column as it is, and Postgres stores it apart when it is large. Null for none. Whoever takes the lane makes them gaps like others.';
comment on column outbox_subscription.delivered is 'How many messages this lane has delivered, also by retries and replays; repeats count again. Saved together with the progress.';
comment on column outbox_subscription.saves is 'How many times progress was saved. Tells a relay whether a save whose answer was lost is in the table. The id of the transaction would not do: after a crash Postgres gives out again the ids of transactions that had not reached its log.';
comment on column outbox_subscription.saved_at is 'When the progress was last saved.';
comment on column outbox_subscription.owner is 'The relay that holds the lease; null when released.';
comment on column outbox_subscription.epoch is 'Grows with each new holder; an acknowledgement with an older epoch changes nothing.';
comment on column outbox_subscription.lease_until is 'Until when the owner may work this lane, by the clock of the database.';
comment on column outbox_subscription.lease_millis is 'How long the lease of the owner lasts, in milliseconds. Bounds lease_until after the clock was set back: else nobody could take over from a relay that died for as long as the clock was set back.';
comment on column outbox_subscription.barrier is 'While the number of lanes is being changed: this lane is read up to this id and then left.';
comment on column outbox_subscription.barrier_until is 'Until when the barrier holds; renewed by the command that changes the number of lanes, so that it is gone when the command is.';
comment on column outbox_subscription.paused is 'True while a person has stopped this subscription.';
comment on column outbox_subscription.halted_at is 'When a relay stopped this subscription, because it would skip messages if it went on. Null otherwise. A person starts it again with subscriptions resume.';
comment on column outbox_subscription.halted_reason is 'What the relay found.';
comment on column outbox_subscription.in_flight is 'How many messages its relay had taken and not finished a few seconds ago; null before it said so. Counts only until lease_until, like the columns after it.';
comment on column outbox_subscription.latency_millis is 'Of what was delivered in the few seconds before: the time from created_at that 99 % took at most; null if nothing was delivered.';
comment on column outbox_subscription.destination_unavailable_since is 'Since when the destination is taken to be unavailable; null while it is available.';
comment on column outbox_subscription.destination_error is 'The last error of a destination that is unavailable, in one line without anything of a message, cut to 2000 characters.';
comment on column outbox_subscription.next_probe_at is 'When a destination that is unavailable is probed next.';
comment on index outbox_subscription_pkey is 'The only index, so that saving progress never touches an index (HOT).';

-- The lane of a key. Every statement asks this function, so that all agree. The planner inlines it.
create function outbox_lane(aggregate_type text, aggregate_id text, lanes integer) returns integer
    language sql immutable parallel safe
    as $$ select case when $3 > 1 then ((hashtextextended($2, hashtextextended($1, 0)) & 9223372036854775807) % $3)::integer else 0 end $$;

comment on function outbox_lane(text, text, integer) is 'The lane of a key in a subscription with so many lanes.';

-- Indexes hold a hash of the key, which has one length for every key.
create function outbox_key_hash(aggregate_type text, aggregate_id text) returns bigint
    language sql immutable parallel safe
    as $$ select hashtextextended($2, hashtextextended($1, 0)) $$;

comment on function outbox_key_hash(text, text) is 'The hash of a key, by which indexes find its messages. Keys can share one: compare the key too.';

create table outbox_relay (
    subscription text not null,
    relay        text not null,
    lanes        integer not null,
    until        timestamptz not null,
    lease_millis integer,
    constraint outbox_relay_pkey primary key (subscription, relay),
    constraint outbox_relay_lease_millis_positive check (lease_millis > 0)
) with (fillfactor = 50);

comment on table outbox_relay is 'The relays that share a subscription of several lanes: each shows that it is there, so that all know what a fair share is.';
comment on column outbox_relay.relay is 'Name of the relay.';
comment on column outbox_relay.lanes is 'How many lanes its route gives the subscription: it shares with those that say the same.';
comment on column outbox_relay.until is 'Until when it counts, by the clock of the database; renewed like a lease.';
comment on column outbox_relay.lease_millis is 'For how long the relay shows that it is there, in milliseconds. Bounds until after the clock was set back.';
comment on index outbox_relay_pkey is 'Used by relays to see who shares a subscription.';

-- Remembered message ids of destinations that cannot recognise repeats themselves. Layout of Camel''s JdbcMessageIdRepository.
create table outbox_idempotent (
    processorname text not null,
    messageid     text not null,
    createdat     timestamp not null default current_timestamp,
    constraint outbox_idempotent_pkey primary key (processorname, messageid)
);

comment on table outbox_idempotent is 'Message ids that an idempotentConsumer of a route has finished.';
comment on column outbox_idempotent.processorname is 'Name given to the repository in the route, usually the subscription.';
comment on column outbox_idempotent.messageid is 'The message id that was delivered.';
comment on column outbox_idempotent.createdat is 'When it was delivered; old rows can be removed.';
comment on index outbox_idempotent_pkey is 'Used by idempotentConsumer to look up and to remember a message id.';

create index outbox_idempotent_time on outbox_idempotent (createdat);

comment on index outbox_idempotent_time is 'Used by relays to forget old ids.';

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
    entry           bigint generated always as identity,
    key_hash        bigint generated always as (outbox_key_hash(aggregate_type, aggregate_id)) stored,
    constraint outbox_retry_pkey primary key (subscription, id),
    constraint outbox_retry_blocked_has_no_time check (blocked = (next_attempt_at is null)),
    constraint outbox_retry_attempts_not_negative check (attempts >= 0),
    constraint outbox_retry_error_is_bounded check (length(error_text) <= 2000)
);

-- What waits and for how long is counted every few seconds by each relay: from the indexes alone, however many messages wait.
create index outbox_retry_due on outbox_retry (subscription, lane, next_attempt_at) include (first_failed_at) where not blocked;
create index outbox_retry_key on outbox_retry (subscription, lane, key_hash, id) include (blocked);

comment on table outbox_retry is 'Messages waiting for another attempt, and messages blocked behind them: one row per message and subscription. Written by relays, by retry of a dead letter and by replay.';
comment on column outbox_retry.lane is 'The lane of the key.';
comment on column outbox_retry.blocked is 'True: waits behind an earlier message of its key, or a dead letter, and has no time. False: is tried at next_attempt_at. The first message of a key is not blocked unless a dead letter holds it back: whoever takes it away gives the next one a time in the same transaction, so that relays find what may go on by its time alone, however many keys wait.';
comment on column outbox_retry.attempts is 'Attempts that failed by the fault of the message. An outage of the destination counts none.';
comment on column outbox_retry.next_attempt_at is 'When it is tried again; null while blocked.';
comment on column outbox_retry.error_class is 'Class of the last error.';
comment on column outbox_retry.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_retry.edited is 'True when a person changed payload or headers before this retry; the audit has the original.';
comment on column outbox_retry.entry is 'The number of this entry. A message that is given up and retried gets another one: what a relay then saves of the earlier entry leaves it alone.';
comment on column outbox_retry.key_hash is 'The hash of the key, computed from it: stands for the key in outbox_retry_key.';
comment on index outbox_retry_pkey is 'Used when an attempt ends: the row is updated or removed.';
comment on index outbox_retry_due is 'Used by relays to find what is due in a lane and to count what waits, and by the command line to list what is tried next.';
comment on index outbox_retry_key is 'Used by relays to find out whether fresh messages have to wait, to count what is blocked and to let the messages of a key follow in order, and by the command line to find a key.';

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
    error_group     bigint generated always as (hashtextextended(error_class || ' ' || left(error_text, 100), 0)) stored,
    constraint outbox_dead_letter_pkey primary key (subscription, id),
    constraint outbox_dead_letter_attempts_not_negative check (attempts >= 0),
    constraint outbox_dead_letter_error_is_bounded check (length(error_text) <= 2000 and length(error_stack) <= 8000)
);

create index outbox_dead_letter_time on outbox_dead_letter (subscription, last_failed_at, id);
create index outbox_dead_letter_key on outbox_dead_letter (subscription, lane, outbox_key_hash(aggregate_type, aggregate_id));
create index outbox_dead_letter_message on outbox_dead_letter (message_id);
-- The group stands first, so that no statement that walks a subscription in order of time takes this index for it.
create index outbox_dead_letter_group on outbox_dead_letter (error_group, subscription, last_failed_at) include (first_failed_at);

comment on table outbox_dead_letter is 'Messages that are not tried again unless a person retries them. Written by relays, and by people who give a message up. A person can also discard them. Never pruned.';
comment on column outbox_dead_letter.lane is 'The lane of the key.';
comment on column outbox_dead_letter.attempts is 'Attempts that failed by the fault of the message.';
comment on column outbox_dead_letter.error_class is 'Class of the last error.';
comment on column outbox_dead_letter.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_dead_letter.error_stack is 'Stack trace of the last error, cut to 8000 characters; empty when a person gave the message up.';
comment on column outbox_dead_letter.step is 'The endpoint in the route that failed, without its options.';
comment on column outbox_dead_letter.edited is 'True when a person changed payload or headers before the last retry.';
comment on column outbox_dead_letter.error_group is 'The same number for errors of one class whose texts begin alike; computed from both.';
comment on index outbox_dead_letter_pkey is 'Used to show, retry or discard one dead letter.';
comment on index outbox_dead_letter_time is 'Used to list and to select dead letters by time, newest first, page by page.';
comment on index outbox_dead_letter_message is 'Used to find the dead letters of a message id, whatever the subscription.';
comment on index outbox_dead_letter_key is 'Used by relays when a dead letter blocks its key, and by the command line to find what holds back a key.';
comment on index outbox_dead_letter_group is 'Used by the HTTP API to count dead letters by their error, without reading the table.';

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
    constraint outbox_audit_action_is_known check (action in ('retry', 'give-up', 'discard', 'pause', 'resume', 'replay', 'delete', 'prune', 'lanes')),
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

-- Until when a relay sleeps, in microseconds since 1970; without a value while none does. A sequence and not a table, because an insert
-- has to see at once what a relay says, whatever the snapshot of its transaction, and pays for each look: this one reads one
-- page, without a plan, a snapshot or a dead row.
create sequence outbox_sleeper as bigint;

comment on sequence outbox_sleeper is 'Until when a relay sleeps (microseconds since 1970) and wants to be woken by inserts. Set by relays, read by the trigger outbox_wake_up.';

-- Applications need no more than INSERT on the outbox; before version 17 Postgres refuses an insert whose role may not look here.
-- All that anybody can see is whether a relay sleeps.
grant select on sequence outbox_sleeper to public;

-- Looks whether the announcement still holds: a relay that was killed has left its own behind. And NOTIFY would make PREPARE
-- TRANSACTION fail: relays do not sleep where transactions can be prepared; asked here too for the moments after a restart.
create function outbox_wake_up() returns trigger language plpgsql as $$
begin
    if pg_sequence_last_value(to_regclass(format('%I.outbox_sleeper', tg_table_schema)))
            > date_part('epoch', clock_timestamp()) * 1000000
        and current_setting('max_prepared_transactions') = '0'
    then
        perform pg_notify('outbox_insert', '');
    end if;
    return null;
end
$$;

comment on function outbox_wake_up is 'Tells relays that sleep that messages were written; they hear it when the transaction commits.';

-- Once per statement, and the function is only called while there is an announcement. Each insert pays for this condition, and
-- nothing longer will do: Postgres reads its tree anew each time. See docs/decisions/0008-wake-up.md.
create trigger outbox_wake_up
    after insert on outbox
    for each statement
    when (pg_sequence_last_value('outbox_sleeper'::regclass) is not null)
    execute function outbox_wake_up();

comment on trigger outbox_wake_up on outbox is 'Wakes relays that sleep. Disabled at first: relays poll then, and inserts pay nothing.';

-- Whoever wants it turns it on: inserts of single rows lose about 5 % by it.
alter table outbox disable trigger outbox_wake_up;
