-- The position of each subscription that is not halted, to compare with the sequence of the outbox. Few rows; no index needed.
select name, lane, position
  from outbox_subscription
 where halted_at is null
 order by name, lane
