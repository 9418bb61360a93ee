-- Tables among these for which autovacuum is switched off, and whether it is off for the server. Parameter: oids of the tables.
select current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean as on_server,
       (select pg_catalog.array_agg(pg_catalog.format('%I.%I', namespace.nspname, class.relname) order by class.relname)
          from pg_class class
          join pg_namespace namespace on namespace.oid = class.relnamespace
         where class.oid = any (?::oid[])
           and exists (select
                         from pg_options_to_table(class.reloptions)
                        where option_name = 'autovacuum_enabled' and not option_value::boolean)) as off_for
