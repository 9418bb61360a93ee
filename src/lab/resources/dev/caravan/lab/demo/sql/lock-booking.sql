-- Locks the booking before any message id is drawn: two transactions of one booking write their messages one after the other.
select seq
from demo_booking
where id = ?
for update
