-- Inserts a booking before the demo writes messages about it.
insert into demo_booking (id, customer)
values (?, ?)
