-- The row of a rejected row, as it was stored or as a person has edited it. Used by RejectedRows. Served by outbox_retry_pkey.
select payload
  from outbox_retry
 where subscription = :subscription
   and id = :id
   and entry = :entry
