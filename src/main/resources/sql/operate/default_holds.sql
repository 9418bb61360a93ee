-- Whether outbox_default contains messages of a range of ids, which begins at the end of all other partitions. Postgres then refuses a partition
-- for that range. Does not name outbox_default: where it was dropped, another
-- role may have created something of that name. Served by the primary key of outbox_default.
select exists (select from outbox where id >= :lower and id < :upper)
