-- The dead letters of one message id: at most one per subscription. Served by outbox_dead_letter_message.
select subscription, id
  from outbox_dead_letter
 where message_id = :messageId::uuid
 order by subscription, id
