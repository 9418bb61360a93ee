-- Discarded dead letters without their payload and headers. Served by outbox_discarded_pkey.
select subscription, id, message_id, aggregate_type, aggregate_id, type, attempts, first_failed_at, last_failed_at, error_class,
       error_text, answer, step, edited, error_group, discard, discarded_at, who, reason
  from outbox_discarded
 where subscription = :subscription
   and id = any (:ids::bigint[])
 order by id
