-- Blocks this many keys of a subscription: one message of each has failed and is due tomorrow. None of them is in the outbox.
insert into outbox_retry (
    subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,
    blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)
select ?, -n, gen_random_uuid(), 'order', 'blocked-' || n, 'order.created', '{}', now(),
       false, 1, now() + interval '1 day', now(), now(), 'java.io.IOException', 'failed'
from generate_series(1, ?) as n
