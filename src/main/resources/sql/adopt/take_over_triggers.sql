-- The triggers of a table that fire when a row is marked, and whose function has no search_path of its own. Served by
-- pg_trigger_tgrelid_tgname_index.
select pg_catalog.format('%I', trigger.tgname) as name,
       function.oid::regprocedure::text as function
  from pg_trigger trigger
  join pg_proc function on function.oid = trigger.tgfoid
  join pg_language language on language.oid = function.prolang
 where trigger.tgrelid = :oid::oid
   and not trigger.tgisinternal
   and trigger.tgenabled in ('O', 'A')
   and trigger.tgtype::integer & (case when :deletes then 8 else 16 end) <> 0
   and language.lanname not in ('internal', 'c')
   and not exists (select from pg_catalog.unnest(function.proconfig) setting where setting like 'search\_path=%')
 order by trigger.tgname
