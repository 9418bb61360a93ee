-- What the application has today, in MariaDB: a library that writes messages into a table, and a dispatcher that locks rows, sends them and counts attempts.
create table orders (
    id bigint primary key,
    total decimal(12, 2) not null
);

create table outbox (
    id varchar(36) primary key,
    broker varchar(100) not null,
    topic varchar(200) not null,
    `key` varchar(200) not null, -- a reserved word
    body json not null,
    state int not null default 0, -- 0 pending, 1 processed, 2 failed in the last attempt
    created_on datetime not null default current_timestamp,
    locked_by varchar(100),
    locked_on datetime,
    processed_on datetime,
    number_of_attempts int not null default 0,
    error varchar(1000)
);
