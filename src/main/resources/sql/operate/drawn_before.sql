-- The last id of the outbox that was drawn at a time: that of the first stored row since, which is at most five minutes later. No row if none
-- is stored. Served by outbox_history_pkey.
select last_id
  from outbox_history
 where at >= :since::timestamptz
 order by at
 limit 1
