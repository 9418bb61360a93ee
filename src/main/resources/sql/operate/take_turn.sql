-- Lets one relay of this database at a time compare problems and write notices, for this transaction; never waits. All relays use the
-- time of the database.
select pg_try_advisory_xact_lock(hashtext('caravan notices'), to_regclass('outbox')::oid::integer) as taken,
       clock_timestamp() as now
