-- A table to capture, from the catalog: its kind, and what the role may do. No row if it does not exist, or its schema may not be used.
-- row_key: the columns of a unique key without nulls, the primary key first.
select class.oid,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as name,
       class.relkind in ('r', 'p') and class.relpersistence <> 't' as usable,
       class.relkind = 'p' as partitioned,
       class.relispartition as partition,
       (select string_agg(inhrelid::regclass::text, ', ' order by inhrelid)
          from pg_inherits
         where inhparent = class.oid and class.relkind = 'r') as children,
       class.oid in (select 'outbox'::regclass::oid union all select inhrelid from pg_inherits where inhparent = 'outbox'::regclass::oid) as outbox,
       has_table_privilege(class.oid, 'SELECT') and has_table_privilege(class.oid, 'UPDATE') as may_lock,
       row_security_active(class.oid) as filtered,
       (select array(select attribute.attname::text
                       from pg_catalog.unnest(index.indkey::smallint[]) with ordinality as part (number, place)
                       join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum = part.number
                      where part.place <= index.indnkeyatts
                      order by part.place)
          from pg_index index
         where index.indrelid = class.oid
           and index.indisunique and index.indisvalid and index.indpred is null and index.indexprs is null
           and not exists (select from pg_catalog.unnest(index.indkey::smallint[]) with ordinality as part (number, place)
                             join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum = part.number
                            where part.place <= index.indnkeyatts and not attribute.attnotnull)
         order by index.indisprimary desc, index.indnkeyatts, index.indexrelid
         limit 1) as row_key,
       has_table_privilege(class.oid, 'TRIGGER') as may_trigger,
       has_schema_privilege(current_schema()::text, 'CREATE') as may_create,
       has_table_privilege(outbox.relowner, outbox.oid, 'INSERT') as owner_inserts,
       has_table_privilege('outbox', 'INSERT') as may_insert,
       pg_has_role(outbox.relowner, 'MEMBER') and current_user <> pg_get_userbyid(outbox.relowner) as gives_to_owner,
       quote_ident(pg_get_userbyid(outbox.relowner)::text) as owner,
       quote_ident(current_user::text) as role,
       quote_ident(current_schema()::text) as schema
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
  join pg_class outbox on outbox.oid = 'outbox'::regclass::oid
 where class.oid = to_regclass(:name)::oid
