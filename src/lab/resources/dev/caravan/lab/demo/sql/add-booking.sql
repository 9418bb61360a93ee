-- The bookings are there before the demo writes messages about them.
insert into demo_booking (id, customer)
values (?, ?)
