-- Whether autovacuum is switched off for the server, or for a table or its partitions.
with off_for as (
    select pg_catalog.format('%I.%I', namespace.nspname, class.relname) as name, count(*) over () as tables
      from pg_class class
      join pg_namespace namespace on namespace.oid = class.relnamespace
     where class.oid = any (:parts::oid[])
       and exists (select
                     from pg_options_to_table(class.reloptions)
                    where option_name = 'autovacuum_enabled' and not option_value::boolean)
     order by class.relname
     limit 1
)
select 'autovacuum-off' as kind, 'warning' as severity, 'settings autovacuum and track_counts' as about, 'off for the server' as figure,
       'Switch both on.' as fix,
       E'alter system set autovacuum = on;\nalter system set track_counts = on;\nselect pg_reload_conf();' as sql
 where not (current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean)
union all
select 'autovacuum-off', 'warning', name,
       case tables when 1 then 'off for the table' else pg_catalog.format('off for %s tables', tables) end,
       'Switch it on.',
       'alter table ' || name || ' reset (autovacuum_enabled);'
  from off_for
