-- How far each subscription that is not halted is, to be compared with the sequence of the outbox. A handful of rows; no index needed.
select name, lane, position
  from outbox_subscription
 where halted_at is null
 order by name, lane
