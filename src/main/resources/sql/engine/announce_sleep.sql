-- Announces that a relay sleeps, and until when; inserts see it at once. Returns no row and announces nothing if inserts could not wake
-- the relay: the trigger is missing or disabled, or transactions can be prepared, which NOTIFY prevents. Nor if the queue of notifications fills, because of
-- a session that listens and does not end its transaction: a full queue fails each insert that notifies.
select setval('outbox_sleeper'::regclass, (extract(epoch from clock_timestamp()) * 1000000.0)::bigint + :duration_micros)
where current_setting('max_prepared_transactions') = '0'
  and pg_notification_queue_usage() < 0.5::double precision
  and exists (
      select from pg_trigger
      where tgrelid = 'outbox'::regclass::oid and tgname = 'outbox_wake_up' and tgenabled in ('O', 'A')
  )
