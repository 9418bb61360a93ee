-- Writes the statements that create two empty tables: outbox_moving, which will be the partition of a range of ids, and the next
-- outbox_default. Leftover tables of an earlier process are dropped first. The check
-- constraint makes a scan of the table unnecessary when it is attached. Only the move writes into the table, so the constraint
-- refuses no insert of an application.
select pg_catalog.format('drop table if exists %1$I.outbox_moving, %1$I.outbox_default_next; '
              'create table %1$I.outbox_moving (like %1$I.outbox including all excluding identity, '
              'constraint outbox_moving_range check (id >= %2$s and id < %3$s)); '
              'comment on table %1$I.outbox_moving is ''Messages being moved from outbox_default to a partition of their own.''; '
              'create table %1$I.outbox_default_next (like %1$I.outbox including all excluding identity); '
              'comment on table %1$I.outbox_default_next is ''Messages being moved from outbox_default to a partition of their own.''',
              namespace.nspname, bounds.lower, bounds.upper)
  from pg_class outbox
  join pg_namespace namespace on namespace.oid = outbox.relnamespace
 cross join (values (:lower::bigint, :upper::bigint)) as bounds (lower, upper)
 where outbox.oid = to_regclass('outbox')::oid
