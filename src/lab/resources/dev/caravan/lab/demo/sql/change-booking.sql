-- The business change that the messages tell about; in the same transaction.
update demo_booking
set status = ?, seq = ?
where id = ?
