-- The triggers of a table and its partitions that users have created, and whether a subscription applies changes to it. Reads only catalogs.
with trigger as (
    select quote_ident(tgname::text) as name,
           pg_catalog.format('%I.%I', nspname, relname) as table_name,
           tgenabled = 'D'::"char" as disabled,
           exists (select from pg_subscription_rel where srrelid = any (:parts::oid[])) as replicated
      from pg_trigger
      join pg_class class on class.oid = tgrelid
      join pg_namespace namespace on namespace.oid = class.relnamespace
     where tgrelid = any (:parts::oid[])
       and not tgisinternal
       and tgparentid = 0::oid
       and tgenabled in ('O', 'D')
     order by 1, 2
     limit 20
)
select 'trigger-disabled' as kind, 'note' as severity, name || ' on ' || table_name as about, 'disabled' as figure,
       'Enable it, or drop it if it is not needed.' as fix,
       'alter table ' || table_name || ' enable trigger ' || name || ';' as sql
  from trigger
 where disabled and not :of_caravan::boolean
union all
select 'trigger-not-replicated', 'warning', name || ' on ' || table_name, 'a subscription applies changes to the table',
       'Let the trigger fire for all rows, if it must see replicated ones too.',
       'alter table ' || table_name || ' enable always trigger ' || name || ';'
  from trigger
 where replicated and not disabled
