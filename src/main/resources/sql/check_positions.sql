-- Subscriptions whose position the sequence of the outbox has not reached: new messages would get ids that are already passed.
-- Parameter: the last id drawn. A handful of rows; no index needed.
select name, lane, position
  from outbox_subscription
 where position > ?
 order by name, lane
