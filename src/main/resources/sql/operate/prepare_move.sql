-- Writes the statements that create two empty tables: one that will be the partition of a range of ids (moving), and the next
-- outbox_default (next). The check constraint makes a scan of the table unnecessary when it is attached. Only the move writes into the table,
-- so the constraint refuses no insert of an application.
select pg_catalog.format('create table %1$I.%4$I (like %1$I.outbox including all excluding identity, '
              'constraint outbox_moving_range check (id >= %2$s and id < %3$s)); '
              'comment on table %1$I.%4$I is ''Messages being moved from outbox_default to a partition of their own.''; '
              'create table %1$I.%5$I (like %1$I.outbox including all excluding identity); '
              'comment on table %1$I.%5$I is ''Messages being moved from outbox_default to a partition of their own.''',
              namespace.nspname, bounds.lower, bounds.upper, :moving::text, :next::text)
  from pg_class outbox
  join pg_namespace namespace on namespace.oid = outbox.relnamespace
 cross join (values (:lower::bigint, :upper::bigint)) as bounds (lower, upper)
 where outbox.oid = to_regclass('outbox')::oid
