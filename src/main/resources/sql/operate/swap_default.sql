-- Writes the statement that replaces outbox_default by the tables of prepare_move (moving, next) atomically: a reader sees each message in
-- one of them. Under the lock no transaction is open that has written to the outbox. So the few messages committed after the copy are copied
-- now, and none is missing. Rows below or above the range were inserted by hand and go into the next outbox_default.
-- Generated columns take no value; the new tables compute them. The old table is renamed (before) and marked, and drop_pruned drops it.
-- partition: the name of the new partition.
-- Errcode CV002: ids above the range have been drawn meanwhile. The locks and their limits are those of detach_partition.
select pg_catalog.format('do %L', pg_catalog.format(
           'begin '
           'lock table only %1$I.outbox in access exclusive mode; '
           'lock table only %1$I.outbox_default in access exclusive mode nowait; '
           'if (select last_value from outbox_id_seq) >= %3$s '
           'then raise exception ''ids have run past %3$s'' using errcode = ''CV002''; end if; '
           'insert into %1$I.%10$I (%9$s) overriding system value select %9$s from %1$I.outbox where id > %4$s and id < %3$s; '
           'insert into %1$I.%11$I (%9$s) overriding system value select %9$s from %1$I.outbox_default where id < %2$s or id >= %3$s; '
           'alter table %1$I.outbox detach partition %1$I.outbox_default; '
           'alter table %1$I.outbox_default rename to %5$I; '
           'comment on table %1$I.%5$I is %6$L; '
           'alter table %1$I.outbox attach partition %1$I.%10$I for values from (%2$s) to (%3$s); '
           'alter table %1$I.%10$I drop constraint outbox_moving_range; '
           'alter table %1$I.%10$I rename to %7$I; '
           'comment on table %1$I.%7$I is %8$L; '
           'alter table %1$I.%11$I rename to outbox_default; '
           'comment on table %1$I.outbox_default is ''Takes the ids that no other partition takes.''; '
           'alter table %1$I.outbox attach partition %1$I.outbox_default default; '
           'end',
           namespace.nspname, bounds.lower, bounds.upper, bounds.copied,
           :before::text,
           'Moved: its messages have a partition of their own, to be dropped by the next round of pruning.',
           :partition::text,
           'Messages with ids from ' || bounds.lower::text || ' to ' || (bounds.upper - 1)::text || '.',
           columns.names,
           :moving::text,
           :next::text))
  from pg_class outbox
  join pg_namespace namespace on namespace.oid = outbox.relnamespace
 cross join (values (:lower::bigint, :upper::bigint, :copied::bigint)) as bounds (lower, upper, copied)
 cross join lateral (select string_agg(quote_ident(attname::text), ', ' order by attnum) as names
                       from pg_attribute
                      where attrelid = outbox.oid
                        and attnum > 0
                        and not attisdropped
                        and attgenerated = '') columns
 where outbox.oid = to_regclass('outbox')::oid
