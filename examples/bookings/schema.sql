-- What the application has today: bookings, and readers that remember how far they have read.
create table bookings (
    id bigint primary key,
    customer text not null,
    status text not null,
    updated_at timestamptz not null default clock_timestamp()
);

create index bookings_updated_at on bookings (updated_at);

-- Each reader polls: select … from bookings where updated_at > (its position) order by updated_at limit 100
create table readers (
    name text primary key,
    position timestamptz not null
);

insert into readers values ('calendar', '-infinity'), ('ledger', '-infinity');

create table ledger (
    entry bigserial primary key,
    message_id uuid unique,
    booking_id bigint not null,
    status text not null
);
