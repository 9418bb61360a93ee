-- The dead letters of one message id: one per subscription where it died. Served by outbox_dead_letter_message.
select subscription, id
  from outbox_dead_letter
 where message_id = ?::uuid
 order by subscription, id
