-- The rejected rows of an intake that a person retries, the oldest first. Used by RejectedRows. An entry that is blocked by an earlier one of
-- its row is included: no lane unblocks it. Bounded in bytes by the size of a rejected row. Served by outbox_retry_pkey.
select id, entry, message_id, edited, headers ->> 'key' as row_key, payload, attempts
  from outbox_retry
 where subscription = :subscription
   and id > :after
 order by id
 limit :limit
