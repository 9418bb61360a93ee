-- Writes one statement per table that a process that died has left behind: partitions that were detached by pruning and not
-- dropped yet (also because somebody reads them), and copies of a move that was not finished; lock_changes is held, so that no
-- move is at it. Only the mark that detach_partition leaves counts: a table that a person detached has none and stays.
select class.relname as name,
       obj_description(class.oid, 'pg_class') like 'Pruned:%' as pruned,
       format('drop table %I.%I', namespace.nspname, class.relname) as statement
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where class.relkind = 'r'
   and not class.relispartition
   and class.relnamespace = (select relnamespace from pg_class where oid = to_regclass('outbox'))
   and class.relname like 'outbox\_%'
   and obj_description(class.oid, 'pg_class') in (
           'Pruned: detached from outbox, to be dropped by the next round of pruning.',
           'Messages on their way from outbox_default to a partition of their own.')
 order by class.relname
