-- The id of a message id: of a dead letter, or among the newest messages of the outbox, or among some waiting or discarded ones, or of a single
-- message that a person has changed, among the newest entries of the audit. Only dead letters have an index on it
-- (outbox_dead_letter_message), so the other searches are bounded.
select id
  from ((select id from outbox_dead_letter where message_id = :messageId limit 1)
        union all
        (select id
           from (select id, message_id from outbox order by id desc limit :examined) newest
          where message_id = :messageId
          limit 1)
        union all
        (select id
           from (select id, message_id from outbox_retry limit :examined) waiting
          where message_id = :messageId
          limit 1)
        union all
        (select id
           from (select id, message_id from outbox_discarded limit :examined) discarded
          where message_id = :messageId
          limit 1)
        union all
        (select message
           from (select message, detail from outbox_audit order by id desc limit :examined) newest
          where message is not null
            and detail ->> 'messageId'::text = :messageId::text
          limit 1)) found
 limit 1
