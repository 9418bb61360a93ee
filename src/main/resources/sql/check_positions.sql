-- How far each subscription is, to be compared with the sequence of the outbox. A handful of rows; no index needed.
select name, lane, position
  from outbox_subscription
 order by name, lane
