-- What the application has today: a trigger that writes an event for each change of a reservation into a table of events, and code that
-- publishes the event right after the commit.
create table reservations (
    id bigint primary key,
    customer text not null,
    status text not null,
    seats int not null
);

create table events (
    id bigserial primary key,
    name text not null,
    reservation_id bigint not null,
    created_at timestamptz not null default clock_timestamp(),
    published_at timestamptz
);

create function write_event() returns trigger language plpgsql as $$
begin
    insert into events (name, reservation_id) values ('reservation.changed', new.id);
    perform pg_notify('events', new.id::text);
    return null;
end $$;

create trigger write_event after insert or update on reservations for each row execute function write_event();

-- the work that follows from events, done by workers of the application
create table commands (
    event_id uuid not null,
    name text not null,
    reservation_id bigint not null,
    done boolean not null default false,
    primary key (event_id, name)
);
