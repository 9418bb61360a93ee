-- Whether outbox_default holds messages at or above an id: Postgres then refuses a partition for that range, or reads all of
-- outbox_default to see whether it can be made. Parameter: the id. Served by the primary key of outbox_default.
select exists (select from outbox_default where id >= ?)
