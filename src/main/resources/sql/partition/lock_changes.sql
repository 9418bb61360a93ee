-- True when this session is now the only one that prunes this outbox or moves messages out of its default partition; it never
-- waits. A session that dies gives it back.
select pg_try_advisory_lock(hashtext('caravan prune'), to_regclass('outbox')::oid::integer)
