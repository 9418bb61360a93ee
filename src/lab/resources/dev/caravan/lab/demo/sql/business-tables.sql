-- Creates the business tables of the booking application. One row per booking; seq counts its committed messages.
create table demo_booking (
    id       text not null,
    customer integer not null,
    status   text not null default 'new',
    seq      bigint not null default 0,
    constraint demo_booking_pkey primary key (id),
    constraint demo_booking_seq_not_negative check (seq >= 0)
);
comment on table demo_booking is 'Bookings of the demo. A transaction locks its booking before it writes messages, so that message ids of one booking are in causal order.';
