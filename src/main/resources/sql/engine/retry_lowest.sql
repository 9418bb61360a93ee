-- The lowest id for which a subscription with order=strict waits: in outbox_retry or outbox_dead_letter. Served by both primary keys.
select least(
    (select id from outbox_retry where subscription = :subscription order by id limit 1),
    (select id from outbox_dead_letter where subscription = :subscription order by id limit 1))
