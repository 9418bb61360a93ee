-- Writes the statement that detaches one partition from the outbox and marks it as pruned, atomically. It is a single statement,
-- so that a client that hangs cannot hold these locks; the session limits its duration.
-- Postgres refuses DETACH CONCURRENTLY while there is a default partition, and without a default partition inserts could be
-- refused. So the outbox is locked for a short time. First saves of progress are blocked. Then the outbox is locked, and then its
-- partitions, in the same order as in all statements. The partitions are locked without waiting, because inserts would wait too.
-- The final check runs under the locks: no transaction can be open that has written to the outbox (it would hold ROW
-- EXCLUSIVE), and no subscription can be created or set back. Errcode CV001: a subscription needs the partition after all.
-- outbox_default is pruned as a whole, as renamed: a new, empty one replaces it in the same statement.
-- drop_pruned trusts the owner of the outbox only: a partition of another owner, for example of an event trigger, becomes one of that owner.
select pg_catalog.format('do %L', pg_catalog.format(
           'begin '
           'lock table outbox_subscription in share mode; '
           'lock table only %1$I.outbox in access exclusive mode; '
           'lock table only %1$I.%2$I in access exclusive mode nowait; '
           || case when is_default then '' else 'lock table only %1$I.outbox_default in access exclusive mode nowait; ' end ||
           'if not exists (select from outbox_subscription) '
           'or exists (select from outbox_subscription '
           'where position < %4$s - 1 or gaps operator(pg_catalog.&&) int8range(%3$s::bigint, %4$s::bigint) or older_gaps operator(pg_catalog.&&) int8range(%3$s::bigint, %4$s::bigint) '
           'or halted_at is not null or position > (select last_value from outbox_id_seq)) '
           || case when is_default then 'or (select id from outbox_default order by id desc limit 1) >= %4$s ' else '' end ||
           'then raise exception ''a subscription needs the ids %3$s to %4$s'' using errcode = ''CV001''; end if; '
           'alter table %1$I.outbox detach partition %1$I.%2$I; '
           || case when is_trusted then '' else 'alter table %1$I.%2$I owner to %7$I; ' end
           || case when is_default then
           'alter table %1$I.%2$I rename to %6$I; '
           'create table %1$I.outbox_default (like %1$I.outbox including all excluding identity); '
           'alter table %1$I.outbox attach partition %1$I.outbox_default default; ' else '' end ||
           'comment on table %1$I.%6$I is %5$L; '
           'end',
           nspname, relname, lower, upper,
           'Pruned: detached from outbox, to be dropped by the next round of pruning.',
           case when is_default then :renamed::text else relname::text end,
           outbox_owner))
  from (select namespace.nspname,
               class.relname,
               pg_get_expr(class.relpartbound, class.oid) = 'DEFAULT' as is_default,
               pg_has_role(class.relowner, outbox.relowner, 'MEMBER') as is_trusted,
               pg_get_userbyid(outbox.relowner) as outbox_owner,
               bounds.lower,
               bounds.upper
          from (values (:oid::oid, :lower::bigint, :upper::bigint)) as bounds (oid, lower, upper)
          join pg_class class on class.oid = bounds.oid
          join pg_class outbox on outbox.oid = to_regclass('outbox')::oid
          join pg_namespace namespace on namespace.oid = class.relnamespace) partition
