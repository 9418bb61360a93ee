-- Tables that may contain messages: by their name, or by a column that shows what is sent. At most 10; reads only catalogs.
select pg_catalog.format('%I.%I', namespace.nspname, class.relname) as quoted
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where class.relkind in ('r', 'p')
   and not class.relispartition
   and namespace.nspname <> 'information_schema'
   and namespace.nspname::text !~ '^pg_'
   and (class.relname::text ~* '(outbox|queue|message|event|e?mail|notification)'
        or exists (select
                     from pg_attribute attribute
                    where attribute.attrelid = class.oid
                      and attribute.attnum > 0
                      and attribute.attname::text ~* '^(is_?)?(published|sent|processed|dispatched|delivered)(_?(at|on))?$'))
 order by class.relname::text !~* 'outbox', class.relname, namespace.nspname
 limit 10
