-- What the application has today: the outbox table of Debezium's event router, and the publication of its connector.
create table orders (
    id bigint primary key,
    total numeric not null
);

create table outbox (
    id uuid primary key,
    aggregatetype varchar(255) not null,
    aggregateid varchar(255) not null,
    type varchar(255) not null,
    payload jsonb
);

create publication dbz_publication for table outbox;
