-- Writes one DROP statement for each leftover table: a partition that pruning has detached but not dropped yet, because the process
-- ended or the partition was being read, or a copy of an unfinished move. The caller holds lock_changes, so that no move is running.
-- Only tables with the comment of detach_partition or of a move are dropped; a table that a person has detached is not.
-- Any role that may create tables here may write such a comment, and reading its table would run its operators: only tables of the owner of the
-- outbox, and of members of it, are dropped.
-- A moved table is dropped only if each of its messages is in the outbox (errcode CV003), so that a mistake loses nothing.
select class.relname as name,
       obj_description(class.oid, 'pg_class'::name) like 'Pruned:%' as pruned,
       case when obj_description(class.oid, 'pg_class'::name) like 'Moved:%' then
           pg_catalog.format('do %L', pg_catalog.format(
                  'begin if exists (select from %1$I.%2$I old where not exists (select from %1$I.outbox where outbox.id = old.id)) '
                  'then raise exception using message = %3$L, errcode = ''CV003''; end if; '
                  'drop table %1$I.%2$I; end', namespace.nspname, class.relname, 'messages of ' || class.relname::text || ' are not in the outbox'))
       else pg_catalog.format('drop table %I.%I', namespace.nspname, class.relname) end as statement
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
  join pg_class outbox on outbox.oid = to_regclass('outbox')::oid
   and outbox.relnamespace = class.relnamespace
 where class.relkind = 'r'
   and not class.relispartition
   and pg_has_role(class.relowner, outbox.relowner, 'MEMBER')
   and class.relname::text like 'outbox\_%'
   and obj_description(class.oid, 'pg_class'::name) in (
           'Pruned: detached from outbox, to be dropped by the next round of pruning.',
           'Moved: its messages have a partition of their own, to be dropped by the next round of pruning.',
           'Messages being moved from outbox_default to a partition of their own.')
 order by class.relname
