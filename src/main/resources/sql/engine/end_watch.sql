-- Wakes the relays that sleep because another relay reads for them, and releases the lock of that relay if this session has it.
select pg_notify('outbox_insert_' || 'outbox'::regclass::oid::text, ''), pg_advisory_unlock_all()
