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
    constraint outbox_headers_are_an_object check (headers is null or jsonb_typeof(headers) = 'object')
) partition by range (id);

comment on table outbox is 'Messages to deliver, in order of id. Applications insert in the transaction of their business rows; relays only read.';
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
    name        text not null,
    lane        integer not null default 0,
    position    bigint not null,
    gaps        int8multirange not null default '{}',
    owner       text,
    epoch       bigint not null default 0,
    lease_until timestamptz,
    paused      boolean not null default false,
    saved_at    timestamptz not null default clock_timestamp(),
    constraint outbox_subscription_pkey primary key (name, lane),
    constraint outbox_subscription_name_is_plain check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    constraint outbox_subscription_lane_not_negative check (lane >= 0),
    constraint outbox_subscription_position_not_negative check (position >= 0),
    constraint outbox_subscription_gaps_up_to_position check (isempty(gaps) or (lower(gaps) >= 0 and upper(gaps) <= position + 1)),
    constraint outbox_subscription_epoch_not_negative check (epoch >= 0),
    constraint outbox_subscription_owner_has_a_lease check ((owner is null) = (lease_until is null))
) with (fillfactor = 20);

comment on table outbox_subscription is 'Progress of each reader of the outbox: one small row per subscription and lane, updated once per acknowledged batch.';
comment on column outbox_subscription.name is 'Name of the subscription: what follows outbox: in the route.';
comment on column outbox_subscription.lane is 'Slice of the subscription (hash of the key), worked by one relay at a time.';
comment on column outbox_subscription.position is 'Highest id taken. Every id at or below it is delivered, in gaps, or known never to appear.';
comment on column outbox_subscription.gaps is 'Ids at or below the position that are not delivered: missing (an open transaction may still fill them) or in flight.';
comment on column outbox_subscription.owner is 'The relay that holds the lease; null when released.';
comment on column outbox_subscription.epoch is 'Grows with each new holder; an acknowledgement with an older epoch changes nothing.';
comment on column outbox_subscription.lease_until is 'Until when the owner may work this lane, by the clock of the database.';
comment on column outbox_subscription.paused is 'True while a person has stopped this subscription.';
comment on column outbox_subscription.saved_at is 'When the progress was last saved.';
comment on index outbox_subscription_pkey is 'The only index, so that saving progress never touches an index (HOT).';

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
