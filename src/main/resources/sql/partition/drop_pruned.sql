-- Writes one DROP statement for each leftover table: a partition that pruning has detached but not dropped yet, because the process
-- ended or the partition was being read, or a copy of an unfinished move. The caller holds lock_changes, so that no move is running.
-- Only tables with the comment of detach_partition or of a move are dropped; a table that a person has detached is not.
-- A moved table is dropped only if each of its messages is in the outbox (errcode CV003), so that a mistake loses nothing.
select class.relname as name,
       obj_description(class.oid, 'pg_class'::name) like 'Pruned:%' as pruned,
       case when obj_description(class.oid, 'pg_class'::name) like 'Moved:%' then
           pg_catalog.format('do $drop$ begin if exists (select from %1$I.%2$I old where not exists (select from %1$I.outbox where outbox.id = old.id)) '
                  'then raise exception ''messages of %2$s are not in the outbox'' using errcode = ''CV003''; end if; '
                  'drop table %1$I.%2$I; end $drop$', namespace.nspname, class.relname)
       else pg_catalog.format('drop table %I.%I', namespace.nspname, class.relname) end as statement
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where class.relkind = 'r'
   and not class.relispartition
   and class.relnamespace = (select relnamespace from pg_class where oid = to_regclass('outbox')::oid)
   and class.relname::text like 'outbox\_%'
   and obj_description(class.oid, 'pg_class'::name) in (
           'Pruned: detached from outbox, to be dropped by the next round of pruning.',
           'Moved: its messages have a partition of their own, to be dropped by the next round of pruning.',
           'Messages being moved from outbox_default to a partition of their own.')
 order by class.relname
