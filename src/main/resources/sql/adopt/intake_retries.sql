-- The rejected rows of an intake that a person retries, the oldest first. Used by RejectedRows. An entry that is blocked by an earlier one of
-- its row is included: no lane unblocks it. Served by outbox_retry_pkey.
select id, entry, edited, message_id, headers ->> 'key'::text as row_key, attempts
  from outbox_retry
 where subscription = :subscription
   and id > :after
 order by id
 limit :limit
