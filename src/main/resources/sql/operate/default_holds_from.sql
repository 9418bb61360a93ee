-- Whether outbox_default contains messages at or above an id. Postgres then refuses a partition for that range, or reads all of
-- outbox_default to check whether the partition can be attached. Served by the primary key of outbox_default.
select exists (select from outbox_default where id >= :id)
