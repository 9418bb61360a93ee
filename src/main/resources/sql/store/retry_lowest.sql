-- The lowest id that a subscription in order strict waits for: in outbox_retry, or dead. Served by both primary keys.
select least(
    (select id from outbox_retry where subscription = ? order by id limit 1),
    (select id from outbox_dead_letter where subscription = ? order by id limit 1))
