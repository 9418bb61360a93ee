-- True when this transaction is now the only one of all relays of this database that makes partitions; it never waits.
select pg_try_advisory_xact_lock(hashtext('caravan partitions'), to_regclass('outbox')::oid::integer)
