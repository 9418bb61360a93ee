-- The outbox as the naive relay wants it: a published flag on each row, and an index of what is left to do.
create table naive_outbox as select *, false as published from outbox order by id;
alter table naive_outbox add primary key (id);
create index naive_outbox_unpublished on naive_outbox (id) where not published;
vacuum (freeze, analyze) naive_outbox;
