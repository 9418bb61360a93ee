-- Ids that wait for a transaction that stays open may be many, and each save would write all of them again. They stand in a column of their
-- own that most saves leave as it is; Postgres stores it apart when it is large. All gaps of a lane are gaps and older_gaps together.
alter table outbox_subscription
    add column older_gaps int8multirange,
    add column older_gaps_epoch bigint,
    -- A relay of an earlier version would forget them when it takes the lane: it is refused, until another one has taken it.
    add constraint outbox_subscription_older_gaps_are_of_the_holder check (older_gaps is null or older_gaps_epoch = epoch);

comment on column outbox_subscription.gaps is 'Ids at or below the position that are not delivered: missing (an open transaction may still fill them) or in flight. Those in older_gaps come on top.';
comment on column outbox_subscription.older_gaps is 'Missing ids that only wait for transactions that have been open for long; written seldom. Null for none. Whoever takes the lane makes them gaps like others.';
comment on column outbox_subscription.older_gaps_epoch is 'The epoch under which progress was saved last. Used by the constraint that keeps relays of earlier versions from taking a lane with older gaps.';
