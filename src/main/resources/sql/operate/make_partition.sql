-- Writes the statements that create one partition; DDL takes no parameters, so the server quotes the names.
-- The table is created separately and then attached, which locks outbox only in SHARE UPDATE EXCLUSIVE and does not block inserts.
-- name: of the partition (see free_name). It has no identity of its own (Postgres 14 to 16 do not allow one; 17 and later add it on attach).
select pg_catalog.format('create table %1$I.%2$I (like %1$I.outbox including all excluding identity); '
              'comment on table %1$I.%2$I is %3$L; '
              'alter table %1$I.outbox attach partition %1$I.%2$I for values from (%4$s) to (%5$s)',
              namespace.nspname,
              :name::text,
              'Messages with ids from ' || bounds.lower::text || ' to ' || (bounds.upper - 1)::text || '.',
              bounds.lower,
              bounds.upper)
  from pg_class outbox
  join pg_namespace namespace on namespace.oid = outbox.relnamespace
 cross join (values (:lower::bigint, :upper::bigint)) as bounds (lower, upper)
 where outbox.oid = to_regclass('outbox')::oid
