-- What became of a save whose commit was not answered: true when it is in the table, false when not, no row while its
-- transaction is open and locks the row. Another relay that has taken the lane makes it false too: whatever was saved before
-- counts for that one. Served by outbox_subscription_pkey.
select epoch = ? and saves >= ?
from outbox_subscription
where name = ?
  and lane = ?
for share skip locked
