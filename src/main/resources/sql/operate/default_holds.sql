-- Whether outbox_default contains messages at or above an id, which is the end of all other partitions. Postgres then refuses a partition for that
-- range, or reads all of outbox_default to check whether the partition can be attached. Does not name outbox_default: where it was dropped, another
-- role may have created something of that name. Served by the primary key of outbox_default.
select exists (select from outbox where id >= :id)
