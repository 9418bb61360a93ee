-- Obtains the lock of the relay that reads for the others of its group, if no other relay has it. The session holds it until end_watch.sql, or
-- until it ends. Obtaining it again has no effect. :group is a text that all relays of the group have, and no others of this outbox.
select pg_try_advisory_lock(hashtextextended(:group, 'outbox'::regclass::oid::bigint))
