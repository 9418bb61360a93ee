-- The table of the daily report.
create table report (
    event_id uuid primary key,
    type text not null,
    reservation_id bigint not null
);
