create table orders (
    id text primary key,
    content json not null
);
