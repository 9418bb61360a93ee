-- Whether the naive relay has marked every row. Served by naive_outbox_unpublished.
select not exists (select from naive_outbox where not published)
