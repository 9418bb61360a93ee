-- Lets messages that were taken from here wait again behind earlier ones of their keys. One that a person has taken away
-- meanwhile (given up, and perhaps discarded) does not come back. Served by outbox_retry_pkey.
update outbox_retry
set blocked = true,
    next_attempt_at = null
where subscription = ?
  and id = any (?::bigint[])
