-- The first message of each key in outbox_retry has a time to be tried at, unless a dead letter holds the key back. Whoever takes
-- it away gives the next one a time in the same transaction, so that relays find what may go on by its time alone, however many
-- keys wait. People who give up or discard a message have to know whether a dead letter holds back its key.
alter table outbox_subscription add column dead_letters_block boolean;

comment on column outbox_subscription.dead_letters_block is 'Whether a dead letter holds back later messages of its key (onDead=block, order strict); written by the relay when it takes the lane, null before. Used when a message is given up or discarded.';
comment on column outbox_retry.blocked is 'True: waits behind an earlier message of its key, or a dead letter, and has no time. False: is tried at next_attempt_at. The first message of a key is not blocked unless a dead letter holds it back.';
comment on index outbox_retry_key is 'Used by relays to find out whether fresh messages have to wait, to count what is blocked and to let the messages of a key follow in order, and by the command line to find a key.';
