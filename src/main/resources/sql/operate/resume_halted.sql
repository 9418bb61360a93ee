-- Resumes a halted subscription after an id, in all lanes; without an id, where each lane stopped. The new epoch fences a relay that has
-- not noticed the halt yet. The transaction has locked the lanes. Served by outbox_subscription_pkey.
update outbox_subscription
   set position = coalesce(given.after, position),
       gaps = case when given.after is null then gaps else '{}' end,
       older_gaps = case when given.after is null then older_gaps end,
       sequence_file = pg_relation_filenode('outbox_id_seq'::regclass),
       stored_in = outbox_subscription.tableoid,
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
       follows_tail = null,
       epoch = epoch + 1,
       saved_at = clock_timestamp(),
       paused = false,
       halted_at = null,
       halted_reason = null
  from (values (:after::bigint)) as given (after)
 where name = :name
returning lane
