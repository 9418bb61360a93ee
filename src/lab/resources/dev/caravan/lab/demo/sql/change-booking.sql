-- Changes the booking, in the transaction of its messages.
update demo_booking
set status = ?, seq = ?
where id = ?
