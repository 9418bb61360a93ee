-- The id of a message id: of a dead letter, or among the newest messages of the outbox, or among some waiting or discarded ones, or of a single
-- message that a person has changed, among the newest entries of the audit. Only dead letters have an index on it
-- (outbox_dead_letter_message), so the other searches are bounded. Parameters: message id; rows of the outbox, message id; waiting rows,
-- message id; discarded rows, message id; entries, message id.
select id
  from ((select id from outbox_dead_letter where message_id = ? limit 1)
        union all
        (select id
           from (select id, message_id from outbox order by id desc limit ?) newest
          where message_id = ?
          limit 1)
        union all
        (select id
           from (select id, message_id from outbox_retry limit ?) waiting
          where message_id = ?
          limit 1)
        union all
        (select id
           from (select id, message_id from outbox_discarded limit ?) discarded
          where message_id = ?
          limit 1)
        union all
        (select message
           from (select message, detail from outbox_audit order by id desc limit ?) newest
          where message is not null
            and detail ->> 'messageId'::text = ?::text
          limit 1)) found
 limit 1
