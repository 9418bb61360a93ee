-- Whether outbox_default already holds messages of a range of ids: Postgres refuses a partition for such a range.
-- Parameters: lower (inclusive), upper (exclusive). Served by the primary key of outbox_default.
select exists (select from outbox_default where id >= ? and id < ?)
