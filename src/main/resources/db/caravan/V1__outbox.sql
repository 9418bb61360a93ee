-- The outbox: applications insert, relays read. Rows are never updated or deleted;
-- old messages are removed by dropping whole partitions.
create table outbox (
    id             bigint generated always as identity (sequence name outbox_id_seq cache 1),
    message_id     uuid not null default gen_random_uuid(),
    aggregate_type text not null,
    aggregate_id   text not null,
    type           text not null,
    headers        jsonb,
    payload        json,
    payload_bytes  bytea,
    created_at     timestamptz not null default clock_timestamp(),
    constraint outbox_pkey primary key (id),
    constraint outbox_headers_are_an_object check (headers is null or jsonb_typeof(headers) = 'object'),
    -- Numbers such as 1e131000 are stored in 12 bytes, and relays read their digits: some thousands of them are more than a text can have.
    -- What || returns is not compressed.
    constraint outbox_headers_are_as_large_as_stored
        check (octet_length(headers::text) <= 1000 + 8 * pg_catalog.pg_column_size(headers operator(pg_catalog.||) '{}'::jsonb)),
    constraint outbox_has_one_payload check (payload is null or payload_bytes is null),
    -- An index entry is limited to 2,704 bytes: a longer key could not be stored when its message fails.
    constraint outbox_key_and_type_are_bounded
        check (octet_length(aggregate_type) + octet_length(aggregate_id) + octet_length(type) <= 1000)
) partition by range (id);

comment on table outbox is 'Messages to deliver, in order of id. Applications insert in the transaction of their business rows; relays only read, and drop whole partitions that are delivered everywhere and older than the retention.';
comment on column outbox.id is 'The order of messages. Drawn by the insert itself (cache 1): relays rely on this to distinguish open transactions from rolled-back ones.';
comment on column outbox.message_id is 'The identity that receivers see, the same on every repeat. Set by the application or generated.';
comment on column outbox.aggregate_type is 'First half of the key: messages of one key are delivered in order.';
comment on column outbox.aggregate_id is 'Second half of the key, and the key of Kafka records.';
comment on column outbox.type is 'What happened, for example order.created. Subscriptions select by it.';
comment on column outbox.headers is 'Headers that are sent with the message: an object of strings, numbers and booleans.';
comment on column outbox.payload is 'The body as JSON, delivered byte for byte as written. A message without payload and payload_bytes is delivered with an empty body (a Kafka tombstone).';
comment on column outbox.payload_bytes is 'The body as bytes, for example Avro, Protobuf or XML, delivered unchanged. Null if the body is JSON.';
comment on column outbox.created_at is 'When the row was written (not when it was committed). Lag is measured from this time.';
comment on index outbox_pkey is 'Used by the reads of all subscriptions: after the position, and within the gaps.';

-- Receives rows that fit no other partition, so that no insert fails. Relays create partitions ahead of use, so it stays empty.
create table outbox_default partition of outbox default;

-- The first million ids; relays add the following partitions in time.
create table outbox_from_0 partition of outbox for values from (0) to (1000000);

create table outbox_subscription (
    name                   text not null,
    lane                   integer not null default 0,
    lanes                  integer not null default 1,
    types                  text[],
    dead_letters_block     boolean,
    strict                 boolean,
    position               bigint not null,
    gaps                   int8multirange not null default '{}',
    older_gaps             int8multirange,
    sequence_file          oid,
    stored_in              oid,
    delivered              bigint not null default 0,
    saves                  bigint not null default 0,
    saved_at               timestamptz not null default clock_timestamp(),
    owner                  text,
    epoch                  bigint not null default 0,
    lease_until            timestamptz,
    lease_millis           integer,
    presence               bigint,
    presence_server        bigint,
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
    rate_limit             text,
    attempts_per_second    real,
    waits_for_rate         boolean,
    follows_tail           boolean,
    permits_since          timestamptz,
    constraint outbox_subscription_pkey primary key (name, lane),
    constraint outbox_subscription_name_is_plain check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    constraint outbox_subscription_lane_not_negative check (lane >= 0),
    constraint outbox_subscription_lanes_in_range check (lanes between 1 and 64),
    constraint outbox_subscription_lane_below_lanes check (lane < lanes),
    constraint outbox_subscription_position_not_negative check (position >= 0),
    constraint outbox_subscription_gaps_up_to_position check (pg_catalog.isempty(gaps) or (pg_catalog.lower(gaps) >= 0 and pg_catalog.upper(gaps) <= position + 1)),
    constraint outbox_subscription_sequence_file_stored_in_a_table check ((sequence_file is null) = (stored_in is null)),
    constraint outbox_subscription_delivered_not_negative check (delivered >= 0),
    constraint outbox_subscription_epoch_not_negative check (epoch >= 0),
    constraint outbox_subscription_owner_has_a_lease check ((owner is null) = (lease_until is null)),
    constraint outbox_subscription_lease_millis_positive check (lease_millis > 0),
    constraint outbox_subscription_presence_has_an_owner check (presence is null or owner is not null),
    constraint outbox_subscription_presence_has_a_server check ((presence is null) = (presence_server is null)),
    constraint outbox_subscription_barrier_has_an_end check ((barrier is null) = (barrier_until is null)),
    constraint outbox_subscription_halt_has_a_reason check ((halted_at is null) = (halted_reason is null)),
    constraint outbox_subscription_in_flight_not_negative check (in_flight >= 0),
    constraint outbox_subscription_latency_not_negative check (latency_millis >= 0),
    constraint outbox_subscription_outage_with_error_and_probe
        check ((destination_unavailable_since is null) = (destination_error is null) and (destination_unavailable_since is null) = (next_probe_at is null)),
    constraint outbox_subscription_error_is_bounded check (length(destination_error) <= 2000),
    constraint outbox_subscription_rate_limit_is_a_rate check (rate_limit ~ '^([1-9][0-9]{0,5}|1000000)/(s|min|h)$'),
    constraint outbox_subscription_attempts_not_negative check (attempts_per_second >= 0::real)
) with (fillfactor = 20);

comment on table outbox_subscription is 'Progress of each subscription: one small row per lane, updated once per saved batch.';
comment on column outbox_subscription.name is 'Name of the subscription: what follows outbox: in the route.';
comment on column outbox_subscription.lane is 'Part of the subscription (by the hash of the key), owned by one relay at a time.';
comment on column outbox_subscription.lanes is 'Number of lanes of the subscription: the same in each of its rows. Changed by ./caravan subscriptions lanes.';
comment on column outbox_subscription.types is 'LIKE patterns of the message types of this subscription; written by the relay that claims the lane, null before. Used by replay, so that a subscription does not get the messages of others.';
comment on column outbox_subscription.dead_letters_block is 'Whether a dead letter blocks later messages of its key (onDead=block, order=strict); written by the relay that claims the lane, null before. Used when a message is given up or discarded.';
comment on column outbox_subscription.strict is 'Whether the order of the route is strict; written by the relay with its reports, null before the first one. Used to explain why a message waits.';
comment on column outbox_subscription.position is 'Highest id read. Every id at or below it is delivered, in gaps, or known never to appear.';
comment on column outbox_subscription.gaps is 'Ids at or below the position that are not delivered: missing (an open transaction may still fill them) or in flight. The gaps are those of this column and of older_gaps together.';
comment on column outbox_subscription.older_gaps is 'Missing ids that wait only for transactions that have been open for long. They may be many: most saves do not write this column, and Postgres stores it out of line (TOAST) when it is large. Null for none. The relay that claims the lane merges them into gaps.';
comment on column outbox_subscription.sequence_file is 'The file of outbox_id_seq (relfilenode) in which the ids up to the position were assigned. A restart of the sequence creates another file: ids at or below the position may be assigned again, so the subscription is halted. A replica has the same file. Null in rows of older versions: the next claim sets it.';
comment on column outbox_subscription.stored_in is 'The oid of the table in which sequence_file was stored. A dump that is restored creates another table and another sequence, and both continue together: the next claim sets sequence_file then.';
comment on column outbox_subscription.delivered is 'Number of messages that this lane has delivered, including retries and replays; repeats count again. Saved together with the progress.';
comment on column outbox_subscription.saves is 'Number of saves. Shows a relay whether a save whose answer was lost is in the table. A transaction id would not be sufficient: after a crash Postgres assigns the ids of transactions that had not reached its log again.';
comment on column outbox_subscription.saved_at is 'When the progress was last saved.';
comment on column outbox_subscription.owner is 'The relay that holds the lease; null when released.';
comment on column outbox_subscription.epoch is 'Grows with each claim; a save with an older epoch changes nothing.';
comment on column outbox_subscription.lease_until is 'End of the lease of the owner, by the clock of the database.';
comment on column outbox_subscription.lease_millis is 'Duration of the lease in milliseconds. Bounds lease_until after the clock was set back: otherwise no relay could take over from a crashed one for as long as the clock was set back.';
comment on column outbox_subscription.presence is 'Key of the advisory lock of a session of the owner. When the lock is free, the owner has ended, and another relay may claim the lane before the lease ends. Each session has its own key. Null if the owner has no such session: only the lease counts.';
comment on column outbox_subscription.presence_server is 'Number of the history of the server with that session: relays that are connected to another one, such as a promoted replica, ignore presence.';
comment on column outbox_subscription.barrier is 'While the number of lanes is being changed: the last id to read in this lane before it is released.';
comment on column outbox_subscription.barrier_until is 'End of the barrier; renewed by the command that changes the number of lanes, so that it ends with the command.';
comment on column outbox_subscription.paused is 'True while a person has paused this subscription.';
comment on column outbox_subscription.halted_at is 'When a relay halted this subscription because it would skip messages. Null otherwise. A person resumes it with subscriptions resume.';
comment on column outbox_subscription.halted_reason is 'Why the relay halted it.';
comment on column outbox_subscription.in_flight is 'Number of messages in flight a few seconds ago; null before the first report of the relay. Valid until lease_until, like the columns after it.';
comment on column outbox_subscription.latency_millis is '99th percentile of the time from created_at to delivery in the last few seconds, in milliseconds; null if nothing was delivered.';
comment on column outbox_subscription.destination_unavailable_since is 'Start of the outage of the destination; null while it is available.';
comment on column outbox_subscription.destination_error is 'The last error of an unavailable destination, on one line and without content of a message, cut to 2000 characters.';
comment on column outbox_subscription.next_probe_at is 'Time of the next probe of an unavailable destination.';
comment on column outbox_subscription.rate_limit is 'The option rate of the route, for all lanes together; null without one.';
comment on column outbox_subscription.attempts_per_second is 'Attempts of this lane in a second, measured over the last seconds; with a slow rate over the time of a few attempts. Null without a rate.';
comment on column outbox_subscription.waits_for_rate is 'Whether messages of this lane have waited for the rate in the last few seconds; null without a rate.';
comment on column outbox_subscription.permits_since is 'With a rate: the unused permits of this lane have accumulated since then. The relay that claims the lane continues from here; null before the first rate.';
comment on index outbox_subscription_pkey is 'The only index, so that a save of progress never updates an index (HOT).';

-- The lane of a key. All statements call this function. The planner inlines it. Bodies of functions are parsed here, once: the search_path of
-- a caller must not decide which operators they use.
create function outbox_lane(aggregate_type text, aggregate_id text, lanes integer) returns integer
    language sql immutable parallel safe
    return case when lanes > 1
                then ((hashtextextended(aggregate_id, hashtextextended(aggregate_type, 0::bigint)) & 9223372036854775807) % lanes::bigint)::integer
                else 0 end;

comment on function outbox_lane(text, text, integer) is 'The lane of a key in a subscription with this number of lanes.';

-- Indexes contain a hash of the key, which has a fixed length.
create function outbox_key_hash(aggregate_type text, aggregate_id text) returns bigint
    language sql immutable parallel safe
    return hashtextextended(aggregate_id, hashtextextended(aggregate_type, 0::bigint));

comment on function outbox_key_hash(text, text) is 'The hash of a key, for indexes. Different keys can have the same hash: compare the key too.';

-- The stored size is compared first, and the bound that it gives (times the highest compression ratio): only a content between the two
-- is decompressed to be measured, inside the database. A plain cast of a large payload would be a read of it. Headers have a limit of their
-- own, 1 MB: steps copy them, and no receiver takes more. Their text has at most eight times the bytes of what is stored, decompressed.
create function outbox_too_large(headers jsonb, payload json, payload_bytes bytea, most bigint) returns bigint
    language sql stable parallel safe
    return case
        when pg_catalog.pg_column_size($1) > 1048576 then pg_catalog.pg_column_size($1)
        when pg_catalog.pg_column_size($1) * case pg_catalog.pg_column_compression($1) when 'pglz' then 88 when 'lz4' then 256 else 1 end > 130000
            and greatest(pg_catalog.pg_column_size($1 operator(pg_catalog.||) '{}'::jsonb),
                         case when pg_catalog.pg_column_size($1 operator(pg_catalog.||) '{}'::jsonb) <= 1048576 then octet_length($1::text) end) > 1048576
            then greatest(pg_catalog.pg_column_size($1 operator(pg_catalog.||) '{}'::jsonb), 1048577)
        when coalesce(pg_catalog.pg_column_size($1) * case pg_catalog.pg_column_compression($1) when 'pglz' then 88 when 'lz4' then 256 else 1 end, 0)
                 + coalesce(pg_catalog.pg_column_size($2) * case pg_catalog.pg_column_compression($2) when 'pglz' then 88 when 'lz4' then 256 else 1 end,
                            octet_length($3), 0) <= $4
            then null
        when coalesce(pg_catalog.pg_column_size($1), 0) + coalesce(pg_catalog.pg_column_size($2), octet_length($3), 0) > $4
            then coalesce(pg_catalog.pg_column_size($1), 0) + coalesce(pg_catalog.pg_column_size($2), octet_length($3), 0)
        else nullif(greatest(coalesce(octet_length($1::text), 0) + coalesce(octet_length($2::text), octet_length($3), 0), $4), $4)
    end;

comment on function outbox_too_large(jsonb, json, bytea, bigint) is 'The size in bytes of the headers and the payload of a message if it is larger than a limit, or that of the headers if they are larger than 1 MB; otherwise null. A compressed content that is larger than the limit as it is stored counts with its stored size.';

create table outbox_relay (
    subscription text not null,
    relay        text not null,
    lanes        integer not null,
    until        timestamptz not null,
    lease_millis integer,
    presence     bigint,
    constraint outbox_relay_pkey primary key (subscription, relay),
    constraint outbox_relay_lease_millis_positive check (lease_millis > 0)
) with (fillfactor = 50);

comment on table outbox_relay is 'The relays that share a subscription of several lanes. Each relay registers itself, so that all can compute the fair share.';
comment on column outbox_relay.relay is 'Name of the relay.';
comment on column outbox_relay.lanes is 'Number of lanes in its route: it shares the lanes with relays that have the same number.';
comment on column outbox_relay.until is 'End of the registration, by the clock of the database; renewed like a lease.';
comment on column outbox_relay.lease_millis is 'Duration of the registration in milliseconds. Bounds until after the clock was set back.';
comment on column outbox_relay.presence is 'Key of the advisory lock of a session of the relay; while the lock is free, the relay does not count. Null if it has no such session.';
comment on index outbox_relay_pkey is 'Used by relays to find the relays that share a subscription.';

-- One row per intake that a relay works: a table of another database whose rows become messages. Written in the transaction of the messages.
create table outbox_intake (
    intake        text not null,
    source        text not null,
    relay         text,
    epoch         bigint not null default 0,
    lease_until   timestamptz,
    paused        boolean not null default false,
    batch         jsonb,
    copied        bigint not null default 0,
    rejected      bigint not null default 0,
    copied_at     timestamptz,
    caught_up_at  timestamptz not null default clock_timestamp(),
    failing_since timestamptz,
    halted        boolean not null default false,
    error         text,
    constraint outbox_intake_pkey primary key (intake),
    constraint outbox_intake_batch_is_an_array check (jsonb_typeof(batch) = 'array'),
    constraint outbox_intake_error_is_bounded check (length(error) <= 2000)
) with (fillfactor = 50);

comment on table outbox_intake is 'Progress of each intake: rows of a table in another database that relays copy into the outbox.';
comment on column outbox_intake.intake is 'Name of the intake. Its dead letters have the subscription intake:NAME.';
comment on column outbox_intake.source is 'The data source and the table, for people.';
comment on column outbox_intake.relay is 'Name of the relay that works it; null when it was released.';
comment on column outbox_intake.epoch is 'Grows with each new holder: a holder whose epoch is older can copy nothing.';
comment on column outbox_intake.lease_until is 'When another relay may take it, by the clock of the database.';
comment on column outbox_intake.paused is 'True while a person has paused it.';
comment on column outbox_intake.batch is 'Keys of the rows that were copied last, until their mark in the source is known to hold; null then.';
comment on column outbox_intake.copied is 'Number of rows that became messages.';
comment on column outbox_intake.rejected is 'Number of rows that became dead letters of the intake.';
comment on column outbox_intake.copied_at is 'When rows were copied last.';
comment on column outbox_intake.caught_up_at is 'Start of the last read that left no pending row: each row that is pending now was committed later. The lag is measured from it.';
comment on column outbox_intake.failing_since is 'First failure since the last successful round; null while it works.';
comment on column outbox_intake.halted is 'True if it waits for a person: the error says for what.';
comment on column outbox_intake.error is 'The last failure; null while it works.';
comment on index outbox_intake_pkey is 'Used to claim, save and list intakes.';

-- Messages of intakes with a section outcome, until their outcome is final and written back to the source.
create table outbox_intake_row (
    intake  text not null,
    id      bigint not null,
    row_key jsonb not null,
    dead_at timestamptz,
    constraint outbox_intake_row_pkey primary key (intake, id)
);

comment on table outbox_intake_row is 'Which row of the source became which message, for intakes that write the outcome back.';
comment on column outbox_intake_row.intake is 'Name of the intake.';
comment on column outbox_intake_row.id is 'Id of the message in the outbox. Of a rejected row: the negative id of its dead letter.';
comment on column outbox_intake_row.row_key is 'Key of the row in the source.';
comment on column outbox_intake_row.dead_at is 'The last failure of the dead letter whose outcome was written back; null before.';
comment on index outbox_intake_row_pkey is 'Used to store a row once, and to read the oldest ones without an outcome.';

-- One row per task that one instance does for all.
create table outbox_lease (
    name     text not null,
    relay    text not null,
    instance uuid not null,
    until    timestamptz not null,
    constraint outbox_lease_pkey primary key (name)
) with (fillfactor = 50);

comment on table outbox_lease is 'Tasks that one of the relays and applications with the component does for all: housekeeping.';
comment on column outbox_lease.relay is 'Name of the relay or application that does it, for people.';
comment on column outbox_lease.instance is 'The component outbox that does it: a new id at each start.';
comment on column outbox_lease.until is 'When another instance may take it, by the clock of the database; renewed three times in this time.';
comment on index outbox_lease_pkey is 'Used to take, renew and release a lease.';

-- For charts of more than an hour. At most 2,016 rows per subscription.
create table outbox_history (
    at             timestamptz not null,
    subscription   text not null,
    delivered      bigint not null,
    lag_seconds    double precision not null,
    backlog        bigint not null,
    latency_millis integer,
    last_id        bigint not null,
    constraint outbox_history_pkey primary key (at, subscription)
);

comment on table outbox_history is 'The state of each subscription every 5 minutes. The first relay of each period writes it; rows are deleted after 7 days.';
comment on column outbox_history.at is 'Start of the period of 5 minutes.';
comment on column outbox_history.delivered is 'Number of messages delivered since the subscription was created.';
comment on column outbox_history.lag_seconds is 'Age of the oldest message that is not delivered, the largest one of the 5 minutes before.';
comment on column outbox_history.backlog is 'Upper bound of the messages that are not delivered, the largest one of the 5 minutes before.';
comment on column outbox_history.latency_millis is 'The 99th percentile of the latency, the largest one of the 5 minutes before; null if nothing was delivered.';
comment on column outbox_history.last_id is 'The last id of the outbox that was drawn. Partitions that got ids within the retention are not pruned, whatever created_at says.';
comment on index outbox_history_pkey is 'Used by relays to read the charts, to write each period once, to find the last id at a time, and to delete old rows.';

-- Message ids for destinations that cannot detect duplicates themselves. Layout of Camel''s JdbcMessageIdRepository.
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
comment on index outbox_idempotent_pkey is 'Used by idempotentConsumer to look up and to store a message id.';

create index outbox_idempotent_time on outbox_idempotent (createdat);

comment on index outbox_idempotent_time is 'Used by relays to delete old ids.';

-- Appends the last failed attempt of a message to the earlier ones, before another attempt replaces it in the columns. From a list of 10
-- the second element is removed, so that the list contains the first attempt and the latest ones.
create function outbox_earlier_attempts(
    earlier json[], failed_at timestamptz, attempts integer, relay text, millis integer, error_class text, error_text text, answer text)
    returns json[] language sql stable parallel safe
    return case
        when relay is null then earlier
        else case when pg_catalog.cardinality(earlier) >= 10 then earlier[:1] operator(pg_catalog.||) earlier[3:] else earlier end
            operator(pg_catalog.||)
            pg_catalog.json_build_object('at', failed_at, 'attempt', attempts, 'relay', relay, 'millis', millis, 'errorClass', error_class,
                                         'errorText', left(error_text, 300), 'answer', left(answer, 300))
    end;

comment on function outbox_earlier_attempts(json[], timestamptz, integer, text, integer, text, text, text) is 'The earlier failed attempts of a message after one more; unchanged without a relay.';

-- Messages that could not be delivered at once. Normal traffic writes nothing here: only exceptions are stored per message.
-- Each row contains the whole message, because the partition of the message may be dropped before.
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
    payload_bytes   bytea,
    created_at      timestamptz not null,
    blocked         boolean not null,
    attempts        integer not null default 0,
    next_attempt_at timestamptz,
    first_failed_at timestamptz,
    last_failed_at  timestamptz,
    error_class     text,
    error_text      text,
    answer          text,
    attempt_relay   text,
    attempt_millis  integer,
    earlier_attempts json[],
    edited          boolean not null default false,
    entry           bigint generated always as identity,
    key_hash        bigint generated always as (outbox_key_hash(aggregate_type, aggregate_id)) stored,
    constraint outbox_retry_pkey primary key (subscription, id),
    constraint outbox_retry_blocked_has_no_time check (blocked = (next_attempt_at is null)),
    constraint outbox_retry_headers_are_as_large_as_stored
        check (octet_length(headers::text) <= 1000 + 8 * pg_catalog.pg_column_size(headers operator(pg_catalog.||) '{}'::jsonb)),
    constraint outbox_retry_has_one_payload check (payload is null or payload_bytes is null),
    constraint outbox_retry_attempts_not_negative check (attempts >= 0),
    constraint outbox_retry_error_is_bounded check (length(error_text) <= 2000 and length(answer) <= 2000),
    constraint outbox_retry_earlier_attempts_are_bounded check (pg_catalog.cardinality(earlier_attempts) <= 10)
);

-- Each relay counts the waiting messages and their age every few seconds: from the indexes alone, however many messages wait.
create index outbox_retry_due on outbox_retry (subscription, lane, next_attempt_at) include (first_failed_at) where not blocked;
create index outbox_retry_key on outbox_retry (subscription, lane, key_hash, id) include (blocked);

comment on table outbox_retry is 'Messages waiting for another attempt, and messages blocked behind them: one row per message and subscription. Written by relays, by retry of a dead letter and by replay.';
comment on column outbox_retry.lane is 'The lane of the key.';
comment on column outbox_retry.blocked is 'True: blocked by an earlier message of its key or by a dead letter, without a time. False: tried at next_attempt_at. The first message of a key is blocked only by a dead letter: the transaction that removes a message sets the time of the next one, so that relays find unblocked messages by their time alone, however many keys wait.';
comment on column outbox_retry.attempts is 'Number of failed attempts. Attempts that fail because of an outage of the destination do not count.';
comment on column outbox_retry.next_attempt_at is 'Time of the next attempt; null while blocked.';
comment on column outbox_retry.error_class is 'Class of the last error.';
comment on column outbox_retry.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_retry.answer is 'Answer of the destination to the last attempt: its first 2000 characters, without content of the message and personal data. Null if there was no answer, or no text.';
comment on column outbox_retry.attempt_relay is 'The relay that made the last attempt. Null if there was none since a person retried the message: the attempts before are in earlier_attempts.';
comment on column outbox_retry.attempt_millis is 'Duration of the last attempt, in milliseconds.';
comment on column outbox_retry.earlier_attempts is 'The failed attempts before the last one, oldest first: the first one and the latest nine, with texts of up to 300 characters. Null if there were none. An array of json and not jsonb, because an element is appended without reading the others.';
comment on column outbox_retry.edited is 'True when a person changed payload or headers before this retry; the audit has the original.';
comment on column outbox_retry.entry is 'Number of this entry. A message that is given up and retried gets a new one: a later save of the earlier entry does not change it.';
comment on column outbox_retry.key_hash is 'The hash of the key, computed from it: used instead of the key in outbox_retry_key.';
comment on index outbox_retry_pkey is 'Used when an attempt ends: the row is updated or removed.';
comment on index outbox_retry_due is 'Used by relays to find the due messages of a lane and to count waiting messages, and by the command line to list the next attempts.';
comment on index outbox_retry_key is 'Used by relays to find out whether fresh messages must wait, to count blocked messages and to deliver the messages of a key in order, and by the command line to find a key.';

-- Removes from an error what differs from message to message: addresses, quoted values, and words with a digit, such as numbers, ids and
-- times. The status of an answer (status 422) is not removed, because it shows the cause.
create function outbox_error_pattern(error_text text) returns text
    language sql immutable parallel safe
    return left(regexp_replace(regexp_replace(regexp_replace(regexp_replace(left(error_text, 500),
            '[^[:space:]<>"'']+@[^[:space:]<>"'']+', '#', 'g'),
            '"[^"]*"|`[^`]*`|(?<![[:alnum:]])''[^'']*''(?![[:alnum:]])', '#', 'g'),
            '(?<![[:alnum:]_-])(?!(?<=(status|code)[ :=]{1,3})[0-9]{3}(?![[:alnum:]_-]))[[:alnum:]_-]*[0-9][[:alnum:]_-]*', '#', 'gi'),
            '#([.,:/]#)+', '#', 'g'), 100);

comment on function outbox_error_pattern(text) is 'The text of an error with # for addresses, quoted values, and words with a digit: errors with the same cause have the same pattern. At most 100 characters.';

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
    payload_bytes   bytea,
    created_at      timestamptz not null,
    attempts        integer not null,
    first_failed_at timestamptz not null,
    last_failed_at  timestamptz not null,
    error_class     text not null,
    error_text      text not null,
    error_stack     text not null,
    step            text,
    answer          text,
    attempt_relay   text,
    attempt_millis  integer,
    earlier_attempts json[],
    edited          boolean not null default false,
    error_group     bigint generated always as (hashtextextended(error_class || ' ' || outbox_error_pattern(error_text), 0::bigint)) stored,
    constraint outbox_dead_letter_pkey primary key (subscription, id),
    constraint outbox_dead_letter_has_one_payload check (payload is null or payload_bytes is null),
    constraint outbox_dead_letter_attempts_not_negative check (attempts >= 0),
    constraint outbox_dead_letter_error_is_bounded check (length(error_text) <= 2000 and length(error_stack) <= 8000 and length(answer) <= 2000),
    constraint outbox_dead_letter_earlier_attempts_are_bounded check (pg_catalog.cardinality(earlier_attempts) <= 10)
);

create index outbox_dead_letter_time on outbox_dead_letter (subscription, last_failed_at, id);
create index outbox_dead_letter_key on outbox_dead_letter (subscription, lane, outbox_key_hash(aggregate_type, aggregate_id));
create index outbox_dead_letter_message on outbox_dead_letter (message_id);
-- The group is the first column, so that no statement that walks a subscription in order of time uses this index.
create index outbox_dead_letter_group on outbox_dead_letter (error_group, subscription, last_failed_at) include (first_failed_at);

comment on table outbox_dead_letter is 'Messages that are not tried again unless a person retries them. Written by relays, and when a person gives up a message. A person can also discard them: they move to outbox_discarded. Never pruned.';
comment on column outbox_dead_letter.lane is 'The lane of the key.';
comment on column outbox_dead_letter.attempts is 'Number of failed attempts.';
comment on column outbox_dead_letter.error_class is 'Class of the last error.';
comment on column outbox_dead_letter.error_text is 'Text of the last error, cut to 2000 characters.';
comment on column outbox_dead_letter.error_stack is 'Stack trace of the last error, cut to 8000 characters; empty when a person gave the message up.';
comment on column outbox_dead_letter.step is 'The endpoint in the route that failed, without its options.';
comment on column outbox_dead_letter.answer is 'Answer of the destination to the last attempt, like that of outbox_retry.';
comment on column outbox_dead_letter.attempt_relay is 'The relay that made the last attempt.';
comment on column outbox_dead_letter.attempt_millis is 'Duration of the last attempt, in milliseconds.';
comment on column outbox_dead_letter.earlier_attempts is 'The failed attempts before the last one, like those of outbox_retry.';
comment on column outbox_dead_letter.edited is 'True when a person changed payload or headers before the last retry.';
comment on column outbox_dead_letter.error_group is 'Hash of the class and of the pattern of the error: the group of dead letters with the same cause.';
comment on index outbox_dead_letter_pkey is 'Used to show, retry or discard one dead letter, and to list and retry dead letters in order of id.';
comment on index outbox_dead_letter_time is 'Used to list and to select dead letters by time, page by page.';
comment on index outbox_dead_letter_message is 'Used to find the dead letters of a message id, whatever the subscription.';
comment on index outbox_dead_letter_key is 'Used by relays when a dead letter blocks its key, and by the command line to find what blocks a key.';
comment on index outbox_dead_letter_group is 'Used by the HTTP API to count dead letters by their error, without reading the table, and to list those of a group.';

-- Dead letters that a person has discarded, as they were. Written by people only. Not in outbox_dead_letter, so that nothing that counts,
-- lists or is blocked by dead letters has to leave them out.
create table outbox_discarded (
    subscription    text not null,
    id              bigint not null,
    message_id      uuid not null,
    aggregate_type  text not null,
    aggregate_id    text not null,
    type            text not null,
    headers         jsonb,
    payload         json,
    payload_bytes   bytea,
    created_at      timestamptz not null,
    attempts        integer not null,
    first_failed_at timestamptz not null,
    last_failed_at  timestamptz not null,
    error_class     text not null,
    error_text      text not null,
    error_stack     text not null,
    step            text,
    answer          text,
    attempt_relay   text,
    attempt_millis  integer,
    earlier_attempts json[],
    edited          boolean not null,
    error_group     bigint not null,
    discard         uuid not null,
    discarded_at    timestamptz not null,
    who             text not null,
    reason          text not null,
    constraint outbox_discarded_pkey primary key (subscription, id),
    constraint outbox_discarded_has_one_payload check (payload is null or payload_bytes is null)
);

create index outbox_discarded_time on outbox_discarded (subscription, discarded_at, id);

comment on table outbox_discarded is 'Dead letters that a person has discarded, stored for caravan.discarded.retention so that the discard can be undone; then relays delete them. The columns that outbox_dead_letter has too are copies.';
comment on column outbox_discarded.discard is 'Identifies the change that discarded it: the same for all dead letters that were discarded together.';
comment on column outbox_discarded.discarded_at is 'When it was discarded.';
comment on column outbox_discarded.who is 'The person who discarded it.';
comment on column outbox_discarded.reason is 'The reason that the person gave.';
comment on index outbox_discarded_pkey is 'Used when a discard is undone, and by a replay, which leaves discarded messages out.';
comment on index outbox_discarded_time is 'Used to list discarded dead letters, newest first, and by relays to delete old ones.';

-- Written by people only: one row per group that somebody has marked.
create table outbox_error_group (
    subscription text not null,
    error_group  bigint not null,
    known        boolean not null,
    note         text,
    who          text not null,
    at           timestamptz not null default clock_timestamp(),
    constraint outbox_error_group_pkey primary key (subscription, error_group),
    constraint outbox_error_group_note_is_bounded check (length(note) <= 1000)
);

comment on table outbox_error_group is 'What people noted about groups of dead letters with the same error.';
comment on column outbox_error_group.error_group is 'The group: outbox_dead_letter.error_group.';
comment on column outbox_error_group.known is 'True: somebody knows the cause and deals with it.';
comment on column outbox_error_group.note is 'What a person wrote about it, for example the number of a ticket.';
comment on column outbox_error_group.who is 'The person who wrote it last.';
comment on column outbox_error_group.at is 'When it was written last.';
comment on index outbox_error_group_pkey is 'Used to show and to change the marks of groups.';

-- Changes of many messages, and of lanes: one row each. Started by people, advanced by relays and by the commands that started them.
create table outbox_job (
    id                 bigint generated always as identity,
    action             text not null,
    subscription       text,
    details            jsonb not null,
    rate               integer,
    discard            uuid,
    state              text not null default 'running',
    total              bigint not null default 0,
    done               bigint not null default 0,
    counting           boolean not null default false,
    forgotten          bigint not null default 0,
    after_subscription text,
    after_id           bigint not null default -9223372036854775808,
    audit              bigint,
    started            bigint[] not null default '{}',
    first              integer,
    delivered          bigint not null default 0,
    failed             bigint not null default 0,
    recent_outcomes    integer not null default 0,
    recent_failed      integer not null default 0,
    pending            bigint[] not null default '{}',
    waits_for          text,
    error              text,
    who                text not null,
    via                text not null,
    reason             text,
    started_at         timestamptz not null default clock_timestamp(),
    paced_at           timestamptz not null default clock_timestamp(),
    ended_at           timestamptz,
    constraint outbox_job_pkey primary key (id),
    constraint outbox_job_action_is_known check (action in ('retry', 'give-up', 'discard', 'undo-discard', 'replay', 'lanes')),
    constraint outbox_job_state_is_known check (state in ('running', 'paused', 'stopped', 'cancelled', 'failed', 'done')),
    constraint outbox_job_has_first_ones check (first > 0),
    constraint outbox_job_rate_positive check (rate > 0),
    constraint outbox_job_details_are_an_object check (jsonb_typeof(details) = 'object'),
    -- Relays work with what a role writes that may only insert here: nothing else must be possible than what Caravan itself writes.
    constraint outbox_job_via_is_known check (via in ('command', 'local', 'token', 'proxy', 'openid')),
    constraint outbox_job_task_is_known check (
        case when action = 'replay' then subscription is not null and first is null
             when action = 'lanes' then subscription is not null and first is null
                                        and coalesce(details -> 'lanes'::text between '1'::jsonb and '64'::jsonb, false)
             when first is not null then subscription is not null and action = 'retry' and coalesce(details ->> 'of'::text, '') = 'dead letters'
             else action || ' ' || coalesce(details ->> 'of'::text, '')
                  in ('retry dead letters', 'retry retries', 'give-up retries', 'discard dead letters', 'undo-discard discarded dead letters') end),
    constraint outbox_job_lists_are_flat_and_bounded check (
        pg_catalog.cardinality(pending) <= 10000 and pg_catalog.cardinality(started) <= 10000
        and coalesce(pg_catalog.array_ndims(pending), 1) = 1 and coalesce(pg_catalog.array_ndims(started), 1) = 1
        and pg_catalog.array_position(pending, null::bigint) is null and pg_catalog.array_position(started, null::bigint) is null),
    constraint outbox_job_times_are_finite check (isfinite(started_at) and isfinite(paced_at)),
    -- Relays and lists read up to 100 whole rows: a text that does not fit in their memory would end them.
    constraint outbox_job_texts_are_short check (
        octet_length(details::text) <= 100000 and octet_length(subscription) <= 10000 and octet_length(after_subscription) <= 10000
        and octet_length(who) <= 10000 and octet_length(reason) <= 10000 and octet_length(waits_for) <= 10000 and octet_length(error) <= 10000)
);

create index outbox_job_running on outbox_job (id) where state = 'running';
create unique index outbox_job_once on outbox_job (action, coalesce(subscription, ''), md5(details::text)) where state = 'running' and first is null;

comment on table outbox_job is 'Changes of many messages, and of lanes. One step of a job is one transaction that locks its row and saves how far it has come: it is right also after a crash, and whichever relay makes the next step continues. A bulk retry is a job that observes the outcome of what it retries.';
comment on column outbox_job.action is 'The action: the verb of the command.';
comment on column outbox_job.subscription is 'The subscription; null for all.';
comment on column outbox_job.details is 'What is changed, as the HTTP API shows it: the messages and the filter, or the number of lanes.';
comment on column outbox_job.rate is 'Largest number of messages that are changed in a second; null for no limit.';
comment on column outbox_job.discard is 'Id of the discard that it makes; null if it makes none, or if discarded dead letters are not stored.';
comment on column outbox_job.total is 'Number of messages that matched when it was started.';
comment on column outbox_job.done is 'Number of messages changed, without those of the bulk retries that it has started.';
comment on column outbox_job.counting is 'Whether it still counts its messages.';
comment on column outbox_job.forgotten is 'Of a replay: number of message ids that it has removed from outbox_idempotent.';
comment on column outbox_job.after_subscription is 'The subscription that it has come to, in order of name; null before the first.';
comment on column outbox_job.after_id is 'The messages of that subscription up to this id have been examined.';
comment on column outbox_job.audit is 'Id of the entry of a replay in outbox_audit.';
comment on column outbox_job.started is 'Ids of the bulk retries that it has started. It ends when they have ended.';
comment on column outbox_job.first is 'Of a bulk retry: number of messages whose outcome is known before others are retried. Null for other jobs.';
comment on column outbox_job.delivered is 'Of a bulk retry: number of retried messages that are delivered.';
comment on column outbox_job.failed is 'Of a bulk retry: number of retried messages whose next attempt failed again.';
comment on column outbox_job.recent_outcomes is 'Of a bulk retry: number of outcomes since about 100 outcomes ago.';
comment on column outbox_job.recent_failed is 'Of a bulk retry: number of failures among recent_outcomes.';
comment on column outbox_job.pending is 'Of a bulk retry: ids of retried messages whose outcome is not known, at most 10,000.';
comment on column outbox_job.waits_for is 'Why nothing is changed at the moment; null if something is.';
comment on column outbox_job.error is 'Why it has failed or stopped by itself.';
comment on column outbox_job.via is 'How the person who started it was identified, as in outbox_audit.';
comment on column outbox_job.paced_at is 'The time up to which the rate is used up.';
comment on column outbox_job.ended_at is 'When it was done, stopped or cancelled, or has failed.';
comment on index outbox_job_pkey is 'Used to show, advance, pause, resume and cancel a job.';
comment on index outbox_job_running is 'Used by relays to find the running jobs.';
comment on index outbox_job_once is 'Prevents that two jobs with the same task run.';

create table outbox_audit (
    id           bigint generated always as identity,
    at           timestamptz not null default clock_timestamp(),
    who          text not null,
    via          text not null default 'command',
    action       text not null,
    subscription text not null,
    message      bigint,
    messages     int8multirange,
    detail       jsonb not null default '{}',
    reason       text,
    constraint outbox_audit_pkey primary key (id),
    constraint outbox_audit_via_is_known check (via in ('command', 'local', 'token', 'proxy', 'openid')),
    constraint outbox_audit_action_is_known check (action in ('retry', 'give-up', 'discard', 'undo-discard', 'create', 'pause', 'resume', 'replay', 'delete', 'prune', 'lanes', 'take-over', 'take-over-undo', 'mark')),
    constraint outbox_audit_detail_is_an_object check (jsonb_typeof(detail) = 'object')
);

create index outbox_audit_message on outbox_audit (subscription, message);
create index outbox_audit_messages on outbox_audit using gist (messages) where messages is not null;
create index outbox_audit_subscription on outbox_audit (subscription, id);

comment on table outbox_audit is 'Changes made by people: one row per message retried, given up or discarded, or per step of a change of many, per change of a subscription, and per prune of the outbox. Relays delete rows that are older than caravan.audit.retention.';
comment on column outbox_audit.who is 'The person, or the account of the operating system that ran the command.';
comment on column outbox_audit.via is 'How the person was identified, which shows how far the name can be trusted: command (the command line, the name is as given), local (the HTTP API without a token, as given), token (as given by a holder of the token), proxy (as a trusted proxy sent it), openid (as the OpenID provider signed it).';
comment on column outbox_audit.action is 'The action: the verb of the command.';
comment on column outbox_audit.subscription is 'The subscription that was changed; * for a change that concerns all of them, such as a prune.';
comment on column outbox_audit.message is 'Id of the message in the outbox, if one message was changed.';
comment on column outbox_audit.messages is 'Ids of the messages in the outbox, if one step changed several.';
comment on column outbox_audit.detail is 'Details of the action: filters, counts, and the original payload and headers of an edited message.';
comment on column outbox_audit.reason is 'The reason that the person gave.';
comment on index outbox_audit_pkey is 'Used to list actions, newest first.';
comment on index outbox_audit_message is 'Used to list the actions on a message.';
comment on index outbox_audit_messages is 'Used to find the steps of changes of many messages that changed a message.';
comment on index outbox_audit_subscription is 'Used to list the actions on a subscription, newest first.';

-- Written by relays with caravan.notices: one row per problem that was found lately.
create table outbox_notice (
    problem         text not null,
    subscription    text not null,
    severity        text not null,
    opened_at       timestamptz not null,
    seen_at         timestamptz not null,
    notice_at       timestamptz,
    notice_severity text,
    is_over         boolean not null,
    constraint outbox_notice_pkey primary key (problem, subscription),
    constraint outbox_notice_severity_is_known check (severity in ('critical', 'warning')),
    constraint outbox_notice_notice_severity_is_known check (notice_severity in ('critical', 'warning')),
    constraint outbox_notice_notice_with_severity check ((notice_at is null) = (notice_severity is null))
);

comment on table outbox_notice is 'Problems of relays and subscriptions, and the last notice about each. A row is deleted when its problem has ended and the next notice may be written at once.';
comment on column outbox_notice.problem is 'The name of the problem and of its runbook.';
comment on column outbox_notice.subscription is 'The subscription; empty if the problem concerns no single one.';
comment on column outbox_notice.severity is 'The severity when the problem was last found.';
comment on column outbox_notice.opened_at is 'When the problem was first found, or found again after it had ended.';
comment on column outbox_notice.seen_at is 'When the problem was last found, to the minute.';
comment on column outbox_notice.notice_at is 'When the last notice was written; null before the first.';
comment on column outbox_notice.notice_severity is 'The severity of the last notice.';
comment on column outbox_notice.is_over is 'True after no relay has found the problem for 5 minutes.';
comment on index outbox_notice_pkey is 'Used to compare the problems that a relay finds with the stored ones.';

-- Written at a sign-out in the console. A session is a cookie that every relay accepts until it expires, unless it is listed here.
create table outbox_ended_session (
    session    uuid not null,
    expires_at timestamptz not null,
    constraint outbox_ended_session_pkey primary key (session)
);

comment on table outbox_ended_session is 'Sessions of the console that people have ended by a sign-out: relays refuse their cookies. A later sign-out deletes the expired ones.';
comment on column outbox_ended_session.session is 'The id in the cookie.';
comment on column outbox_ended_session.expires_at is 'When the cookie expires, by the clock of the relay that created it.';
comment on index outbox_ended_session_pkey is 'Used to store an ended session once.';

-- Written by ./caravan capture backfill, one row per capture.
create table outbox_backfill (
    capture     text not null,
    definition  text not null,
    triggers    text not null,
    boundary    pg_snapshot not null,
    last_id     bigint not null,
    pass        integer not null default 1,
    after_key   text[],
    messages    bigint not null default 0,
    started_at  timestamptz not null default clock_timestamp(),
    saved_at    timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    constraint outbox_backfill_pkey primary key (capture),
    constraint outbox_backfill_pass_is_known check (pass in (1, 2)),
    constraint outbox_backfill_messages_not_negative check (messages >= 0)
);

comment on table outbox_backfill is 'Progress of the last backfill of each capture: existing rows that become messages. Saved with the messages of each chunk.';
comment on column outbox_backfill.capture is 'Name of the capture.';
comment on column outbox_backfill.definition is 'The statement that turns rows into messages: a backfill is continued only with the same one.';
comment on column outbox_backfill.triggers is 'The triggers of the capture at the start, each with the transaction that wrote it: after any change of them, changes of rows may not have been captured, and the backfill must begin again.';
comment on column outbox_backfill.boundary is 'The transactions that had ended when the backfill began, while nobody could write to the table. Rows of later transactions are captured by the triggers.';
comment on column outbox_backfill.last_id is 'The last id in the outbox at the boundary: messages that the triggers write have higher ids.';
comment on column outbox_backfill.pass is '1: rows that have not been changed since the boundary. 2: rows that have been changed without a message.';
comment on column outbox_backfill.after_key is 'The key of the last row that this pass has read, as texts; null at its start.';
comment on column outbox_backfill.messages is 'Number of messages written.';
comment on column outbox_backfill.started_at is 'Time of the boundary.';
comment on column outbox_backfill.saved_at is 'When the last chunk was saved.';
comment on column outbox_backfill.finished_at is 'When the last chunk of the second pass was saved; null before.';
comment on index outbox_backfill_pkey is 'Used to begin, to continue and to list backfills.';

-- Until when a relay sleeps, in microseconds since 1970; without a value while none sleeps. A sequence and not a table, because an
-- insert must see the announcement of a relay at once, whatever the snapshot of its transaction, and at low cost: this reads one
-- page, without a plan, a snapshot or a dead row.
create sequence outbox_sleeper as bigint;

comment on sequence outbox_sleeper is 'Until when a relay sleeps and must be woken by inserts (microseconds since 1970). Set by relays, read by the trigger outbox_wake_up.';

-- Applications need only INSERT on the outbox; before version 17 Postgres rejects an insert of a role that may not read this sequence.
-- The sequence shows only whether a relay sleeps.
grant select on sequence outbox_sleeper to public;

-- Checks whether the announcement is still valid: a killed relay does not withdraw its own. NOTIFY would make PREPARE TRANSACTION
-- fail: relays do not sleep where transactions can be prepared; the function checks this too, for the time after a restart.
-- Each outbox of a database has its own channel.
create function outbox_wake_up() returns trigger language plpgsql as $$
begin
    if pg_sequence_last_value(to_regclass(pg_catalog.format('%I.outbox_sleeper', tg_table_schema)))
            > (extract(epoch from clock_timestamp()) * 1000000.0)::bigint
        and current_setting('max_prepared_transactions') = '0'
    then
        perform pg_notify('outbox_insert_' || tg_relid::text, '');
    end if;
    return null;
end
$$;

comment on function outbox_wake_up is 'Notifies sleeping relays of new messages; the notification is sent when the transaction commits.';

-- Once per statement; the function is called only while there is an announcement. Each insert evaluates this condition, which must be
-- short: Postgres parses its expression tree each time. See docs/decisions/0008-wake-up.md.
create trigger outbox_wake_up
    after insert on outbox
    for each statement
    when (pg_sequence_last_value('outbox_sleeper'::regclass) is not null)
    execute function outbox_wake_up();

comment on trigger outbox_wake_up on outbox is 'Wakes sleeping relays. Disabled by default: relays poll then, and inserts have no additional cost.';

-- Enable it to wake relays: single-row inserts become about 5 % slower.
alter table outbox disable trigger outbox_wake_up;

-- For applications: functions that insert a message and return its message id. One for each type that drivers bind JSON as, so that no
-- statement needs a cast. They run with the rights of the caller, who needs INSERT on the outbox, and name the schema in which they are
-- created: the search_path of the caller does not matter. PL/pgSQL caches the plan of the insert; before version 18, SQL functions do not.
do $do$
declare
    json_type text;
begin
    foreach json_type in array array['text', 'json', 'jsonb'] loop
        execute pg_catalog.format($create$
            create function outbox_publish(
                aggregate_type text, aggregate_id text, type text, payload %2$s %3$s, headers %2$s default null, message_id uuid default null)
                returns uuid language plpgsql as $body$
            declare
                id uuid := coalesce(message_id, gen_random_uuid());
            begin
                insert into %1$I.outbox (message_id, aggregate_type, aggregate_id, type, payload, headers)
                values (id, aggregate_type, aggregate_id, type, payload::json, headers::jsonb);
                return id;
            end
            $body$;
            comment on function outbox_publish(text, text, text, %2$s, %2$s, uuid)
                is 'Inserts a message into the outbox and returns its message id: the given one or a random one.';

            -- The type of the headers differs and not that of the payload: with one default, a call without headers has one meaning.
            create function outbox_publish(
                aggregate_type text, aggregate_id text, type text, payload bytea, headers %2$s %3$s, message_id uuid default null)
                returns uuid language plpgsql as $body$
            declare
                id uuid := coalesce(message_id, gen_random_uuid());
            begin
                insert into %1$I.outbox (message_id, aggregate_type, aggregate_id, type, payload_bytes, headers)
                values (id, aggregate_type, aggregate_id, type, payload, headers::jsonb);
                return id;
            end
            $body$;
            comment on function outbox_publish(text, text, text, bytea, %2$s, uuid)
                is 'Inserts a message with a binary payload into the outbox and returns its message id: the given one or a random one.';

            create function outbox_publish_all(messages %2$s) returns setof uuid language plpgsql as $body$
            declare
                ids uuid[];
            begin
                select pg_catalog.array_agg(coalesce((message ->> 'message_id'::text)::uuid, gen_random_uuid()) order by n) into ids
                from json_array_elements(messages::json) with ordinality as m (message, n);
                if (select count(*) <> pg_catalog.count(distinct id) from pg_catalog.unnest(ids) as id) then
                    raise exception 'two of the messages have the same message_id: receivers would treat the second one as a repeat'
                        using errcode = 'unique_violation', hint = 'Give each message its own message_id, or none.';
                end if;
                insert into %1$I.outbox (message_id, aggregate_type, aggregate_id, type, payload, payload_bytes, headers)
                select ids[n], message ->> 'aggregate_type'::text, message ->> 'aggregate_id'::text, message ->> 'type'::text,
                       nullif((message -> 'payload'::text)::text, 'null')::json, decode(message ->> 'payload_base64'::text, 'base64'),
                       nullif((message -> 'headers'::text)::text, 'null')::jsonb
                from json_array_elements(messages::json) with ordinality as m (message, n)
                order by n;
                return query select pg_catalog.unnest(ids);
            end
            $body$;
            comment on function outbox_publish_all(%2$s)
                is 'Inserts the messages of a JSON array into the outbox, in its order, and returns their message ids. Each element is an object with the names of the parameters of outbox_publish; a binary payload is Base64 in payload_base64.';
        $create$, current_schema(), json_type, case json_type when 'text' then 'default null' else '' end);
    end loop;
end
$do$;
