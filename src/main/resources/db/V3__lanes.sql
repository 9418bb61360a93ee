-- A subscription can be split into lanes by the hash of the key, so that several relays share it.
alter table outbox_subscription add column lanes integer not null default 1;
alter table outbox_subscription add column barrier bigint;
alter table outbox_subscription add column barrier_until timestamptz;
alter table outbox_subscription add constraint outbox_subscription_lanes_in_range check (lanes between 1 and 64);
alter table outbox_subscription add constraint outbox_subscription_lane_below_lanes check (lane < lanes);
alter table outbox_subscription add constraint outbox_subscription_barrier_has_an_end check ((barrier is null) = (barrier_until is null));

comment on column outbox_subscription.lanes is 'How many lanes the subscription has: the same in each of its rows. Changed by ./caravan subscriptions lanes.';
comment on column outbox_subscription.barrier is 'While the number of lanes is being changed: this lane is read up to this id and then left.';
comment on column outbox_subscription.barrier_until is 'Until when the barrier holds; renewed by the command that changes the number of lanes, so that it is gone when the command is.';

-- The lane of a key. Every statement asks this function, so that all agree. The planner inlines it.
create function outbox_lane(aggregate_type text, aggregate_id text, lanes integer) returns integer
    language sql immutable parallel safe
    as $$ select case when $3 > 1 then ((hashtextextended($2, hashtextextended($1, 0)) & 9223372036854775807) % $3)::integer else 0 end $$;

comment on function outbox_lane(text, text, integer) is 'The lane of a key in a subscription with so many lanes.';

create table outbox_relay (
    subscription text not null,
    relay        text not null,
    lanes        integer not null,
    until        timestamptz not null,
    constraint outbox_relay_pkey primary key (subscription, relay)
) with (fillfactor = 50);

comment on table outbox_relay is 'The relays that share a subscription of several lanes: each shows that it is there, so that all know what a fair share is.';
comment on column outbox_relay.relay is 'Name of the relay.';
comment on column outbox_relay.lanes is 'How many lanes its route gives the subscription: it shares with those that say the same.';
comment on column outbox_relay.until is 'Until when it counts, by the clock of the database; renewed like a lease.';
comment on index outbox_relay_pkey is 'Used by relays to see who shares a subscription.';

-- A relay looks for the messages of its lanes only.
comment on column outbox_retry.lane is 'The lane of the key.';
comment on column outbox_dead_letter.lane is 'The lane of the key.';

drop index outbox_retry_due;
drop index outbox_retry_key;
drop index outbox_dead_letter_key;
create index outbox_retry_due on outbox_retry (subscription, lane, next_attempt_at) where not blocked;
create index outbox_retry_key on outbox_retry (subscription, lane, aggregate_type, aggregate_id, id);
create index outbox_dead_letter_key on outbox_dead_letter (subscription, lane, aggregate_type, aggregate_id);

comment on index outbox_retry_due is 'Used by relays to find what is due in a lane, and by the command line to list what is tried next.';
comment on index outbox_retry_key is 'Used by relays to find the blocked keys of a lane and to let their messages follow in order, and by the command line to find a key.';
comment on index outbox_dead_letter_key is 'Used by relays when a dead letter blocks its key, and by the command line to find what holds back a key.';

alter table outbox_audit drop constraint outbox_audit_action_is_known;
alter table outbox_audit add constraint outbox_audit_action_is_known
    check (action in ('retry', 'give-up', 'discard', 'pause', 'resume', 'replay', 'delete', 'prune', 'lanes'));
