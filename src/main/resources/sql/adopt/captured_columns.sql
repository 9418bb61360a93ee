-- The columns of a table in order. Types without equality must be compared as text. of_session: whether the text of a value depends on
-- settings of the session. key: the place in the primary key.
select attribute.attname as name,
       attribute.attnotnull as not_null,
       attribute.attgenerated <> '' as generated,
       attribute.attgenerated = 'v' as virtual,
       format_type(attribute.atttypid, attribute.atttypmod) as type,
       not exists (select from pg_opclass opclass
                    where opclass.opcdefault
                      and opclass.opcmethod in (select oid from pg_am where amname in ('btree', 'hash'))
                      and opclass.opcintype in (base.oid,
                            case when base.typtype = 'e' then 'anyenum'::regtype::oid end,
                            case when base.typtype = 'c' then 'record'::regtype::oid end,
                            case when base.typtype = 'r' then 'anyrange'::regtype::oid end,
                            case when base.typtype = 'm' then 'anymultirange'::regtype::oid end,
                            case when base.typcategory = 'A' and element.typname not in ('json', 'xml', 'point') then 'anyarray'::regtype::oid end,
                            case when base.typname = 'varchar' then 'text'::regtype::oid end)) as without_equality,
       base.typname::text ~ '^_?(date|timestamp|timestamptz|interval|bytea|float4|float8|money|(date|ts|tstz)(multi)?range)$' as of_session,
       coalesce(pg_catalog.array_position(primary_key.conkey, attribute.attnum), 0) as key
  from pg_attribute attribute
  join pg_type declared on declared.oid = attribute.atttypid
  join pg_type base on base.oid = case declared.typtype when 'd' then declared.typbasetype else declared.oid end
  left join pg_type element on element.oid = base.typelem
  left join pg_constraint primary_key on primary_key.conrelid = attribute.attrelid and primary_key.contype = 'p'
 where attribute.attrelid = :oid::oid
   and attribute.attnum > 0
   and not attribute.attisdropped
 order by attribute.attnum
