-- The outcome of a save whose commit was not answered: true if it is in the table, false if not, no row while its
-- transaction is open and locks the row. Also false if another relay has claimed the lane, because that relay continues from the
-- progress that it found. Served by outbox_subscription_pkey.
select epoch = :epoch and saves >= :number
from outbox_subscription
where name = :subscription
  and lane = :lane
for share skip locked
