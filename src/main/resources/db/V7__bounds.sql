-- An index entry takes 2,704 bytes, and a key of an outbox row could be longer: it could not be stored when it failed, and stopped its
-- subscription. New messages keep to a bound. What is there stays: the rows are not looked at, so the lock is held for a moment only.
alter table outbox add constraint outbox_key_and_type_are_bounded
    check (octet_length(aggregate_type) + octet_length(aggregate_id) + octet_length(type) <= 1000) not valid;

-- The indexes hold a hash of the key, which has one length for every key.
create function outbox_key_hash(aggregate_type text, aggregate_id text) returns bigint
    language sql immutable parallel safe
    as $$ select hashtextextended($2, hashtextextended($1, 0)) $$;

comment on function outbox_key_hash(text, text) is 'The hash of a key, by which indexes find its messages. Keys can share one: compare the key too.';

-- A column, so that blocked keys are counted from the index alone. Adding it writes the table anew.
alter table outbox_retry add column key_hash bigint generated always as (outbox_key_hash(aggregate_type, aggregate_id)) stored;

drop index outbox_retry_key;
drop index outbox_dead_letter_key;
create index outbox_retry_key on outbox_retry (subscription, lane, key_hash, id) include (blocked);
create index outbox_dead_letter_key on outbox_dead_letter (subscription, lane, outbox_key_hash(aggregate_type, aggregate_id));

comment on column outbox_retry.key_hash is 'The hash of the key, computed from it: stands for the key in outbox_retry_key.';
comment on index outbox_retry_key is 'Used by relays to find the blocked keys of a lane, to count what is blocked and to let the messages of a key follow in order, and by the command line to find a key.';
comment on index outbox_dead_letter_key is 'Used by relays when a dead letter blocks its key, and by the command line to find what holds back a key.';

-- A lease that ends later than its duration from now was given before the clock of the database was set back. Whoever wants the
-- lane shortens it then: else nobody could take over from a relay that died for as long as the clock was set back.
alter table outbox_subscription add column lease_millis integer;
alter table outbox_relay add column lease_millis integer;
alter table outbox_subscription add constraint outbox_subscription_lease_millis_positive check (lease_millis > 0);
alter table outbox_relay add constraint outbox_relay_lease_millis_positive check (lease_millis > 0);

comment on column outbox_subscription.lease_millis is 'How long the lease of the owner lasts, in milliseconds; null until a relay that knows this column takes the lane. Bounds lease_until after the clock was set back.';
comment on column outbox_relay.lease_millis is 'For how long the relay shows that it is there, in milliseconds. Bounds until after the clock was set back.';
