-- Stores a rejected row as it is in the source now, before it becomes a dead letter again. Used by RejectedRows. Served by outbox_retry_pkey.
update outbox_retry
   set payload = :payload::json
 where subscription = :subscription
   and id = :id
   and entry = :entry
