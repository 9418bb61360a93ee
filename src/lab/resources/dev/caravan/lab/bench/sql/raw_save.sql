-- Saves the progress of one batch, by primary key.
update outbox_subscription
set position = ?,
    gaps = ?::int8multirange
where name = 'bench'
  and lane = 0
