-- Writes the statement that takes one partition out of the outbox and marks it as pruned, whole or not at all. A single
-- statement, so that a client that hangs cannot keep these locks; the session limits its duration.
-- DETACH CONCURRENTLY is refused while there is a default partition, and the default partition is what keeps an insert from
-- ever being refused: so the outbox is locked for a moment. The outbox first and then its partitions, as everybody does, and these
-- without waiting: inserts would wait as well. Saves of progress are kept out just before.
-- The last look is taken under the locks: no transaction can be open that has written to the outbox (it would hold ROW
-- EXCLUSIVE), and no subscription can be created or set back. Errcode CV001: a subscription needs the partition after all.
-- outbox_default is pruned whole: a new, empty one takes its place in the same statement.
-- Parameters: oid of the partition; lower (inclusive), upper (exclusive) of the ids it holds.
select format(
           'do $prune$ begin '
           'lock table outbox_subscription in share mode; '
           'lock table only %1$I.outbox in access exclusive mode; '
           'lock table only %1$I.%2$I in access exclusive mode nowait; '
           || case when is_default then '' else 'lock table only %1$I.outbox_default in access exclusive mode nowait; ' end ||
           'if not exists (select from outbox_subscription) '
           'or exists (select from outbox_subscription '
           'where position < %4$s - 1 or gaps && int8range(%3$s, %4$s) or older_gaps && int8range(%3$s, %4$s) '
           'or halted_at is not null or position > (select last_value from outbox_id_seq)) '
           || case when is_default then 'or (select id from outbox_default order by id desc limit 1) >= %4$s ' else '' end ||
           'then raise exception ''a subscription needs the ids %3$s to %4$s'' using errcode = ''CV001''; end if; '
           'alter table %1$I.outbox detach partition %1$I.%2$I; '
           || case when is_default then
           'alter table %1$I.%2$I rename to %6$I; '
           'create table %1$I.outbox_default (like %1$I.outbox including all excluding identity); '
           'alter table %1$I.outbox attach partition %1$I.outbox_default default; ' else '' end ||
           'comment on table %1$I.%6$I is %5$L; '
           'end $prune$',
           nspname, relname, lower, upper,
           'Pruned: detached from outbox, to be dropped by the next round of pruning.',
           case when is_default then 'outbox_default_to_' || upper - 1 else relname end)
  from (select namespace.nspname,
               class.relname,
               pg_get_expr(class.relpartbound, class.oid) = 'DEFAULT' as is_default,
               bounds.lower,
               bounds.upper
          from (values (?::oid, ?::bigint, ?::bigint)) as bounds (oid, lower, upper)
          join pg_class class on class.oid = bounds.oid
          join pg_namespace namespace on namespace.oid = class.relnamespace) partition
