-- Creates the table of the naive relay: a copy of the outbox with a published flag, and an index of the unpublished rows.
create table naive_outbox as select *, false as published from outbox order by id;
alter table naive_outbox add primary key (id);
create index naive_outbox_unpublished on naive_outbox (id) where not published;
vacuum (freeze, analyze) naive_outbox;
