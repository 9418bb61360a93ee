-- Resumes a halted subscription after an id, in all lanes. The new epoch fences a relay that has not noticed the halt yet.
-- The transaction has locked the lanes. Served by outbox_subscription_pkey. Parameters: position, name.
update outbox_subscription
   set position = ?,
       gaps = '{}',
       older_gaps = null,
       owner = null,
       lease_until = null,
       presence = null,
       presence_server = null,
       in_flight = null,
       latency_millis = null,
       destination_unavailable_since = null,
       destination_error = null,
       next_probe_at = null,
       rate_limit = null,
       attempts_per_second = null,
       waits_for_rate = null,
       epoch = epoch + 1,
       saved_at = clock_timestamp(),
       paused = false,
       halted_at = null,
       halted_reason = null
 where name = ?
returning lane
