-- What the application has today: a library that writes messages into a table, and a dispatcher that locks rows, sends them and counts attempts.
create table orders (
    id bigint primary key,
    total numeric not null
);

create table outbox (
    id uuid primary key,
    broker text not null,
    topic text not null,
    key text not null,
    body jsonb not null,
    state text not null default 'pending',
    created_on timestamptz not null default now(),
    locked_by text,
    locked_on timestamptz,
    processed_on timestamptz,
    number_of_attempts int not null default 0,
    error text
);
