-- Writes one statement per partition that was detached by pruning and not dropped yet, because the process died in between or
-- somebody reads it. Only the mark that detach_partition leaves counts: a table that a person detached has none and stays.
select class.relname as name,
       format('drop table %I.%I', namespace.nspname, class.relname) as statement
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where class.relkind = 'r'
   and not class.relispartition
   and class.relnamespace = (select relnamespace from pg_class where oid = to_regclass('outbox'))
   and class.relname like 'outbox\_%'
   and obj_description(class.oid, 'pg_class') = 'Pruned: detached from outbox, to be dropped by the next round of pruning.'
 order by class.relname
