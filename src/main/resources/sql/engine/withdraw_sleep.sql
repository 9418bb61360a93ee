-- Withdraws the announcement of this relay, so that inserts notify no relay while it is awake. A later announcement of another relay is
-- not withdrawn; a relay with an earlier one may still sleep, and is woken to announce it again.
-- An expired announcement of a relay that was killed is withdrawn too. :announced is the last announcement of this relay.
select setval('outbox_sleeper'::regclass, last_value, false), pg_notify('outbox_insert_' || 'outbox'::regclass::oid::text, '')
from outbox_sleeper
where is_called
  and (last_value = :announced or last_value < (extract(epoch from clock_timestamp()) * 1000000.0)::bigint)
