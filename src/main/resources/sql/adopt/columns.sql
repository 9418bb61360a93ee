-- The columns of a table in their order, with the base types of domains. Reads only catalogs.
select attribute.attname as name,
       quote_ident(attribute.attname::text) as quoted,
       case when coalesce(inner_type.typtype, type.typtype) = 'e' then 'enum'
            else format_type(coalesce(nullif(inner_type.typbasetype, 0::oid), nullif(type.typbasetype, 0::oid), type.oid), null::integer) end as type,
       case when attribute.attgenerated = '' then pg_get_expr(value.adbin, value.adrelid) end as default_value,
       attribute.attgenerated <> '' as generated,
       coalesce(sequence.oid::bigint, 0::bigint) as sequence,
       exists (select
                 from pg_index index
                where index.indrelid = attribute.attrelid and index.indisprimary and index.indnkeyatts = 1
                  and index.indkey[0] = attribute.attnum) as primary_key,
       exists (select
                 from pg_index index
                where index.indrelid = attribute.attrelid and index.indisunique and index.indnkeyatts = 1
                  and index.indisvalid and index.indpred is null and index.indkey[0] = attribute.attnum) as "unique"
  from pg_attribute attribute
  join pg_type type on type.oid = attribute.atttypid
  left join pg_type inner_type on inner_type.oid = type.typbasetype and type.typtype = 'd'
  left join pg_attrdef value on value.adrelid = attribute.attrelid and value.adnum = attribute.attnum
  left join lateral (
       select class.oid
         from pg_depend depend
         join pg_class class on class.relkind = 'S'
          and (depend.classid = 'pg_class'::regclass::oid and depend.objid = class.oid and depend.deptype in ('a', 'i')
                   and depend.refobjid = attribute.attrelid and depend.refobjsubid = attribute.attnum
               or depend.classid = 'pg_attrdef'::regclass::oid and depend.objid = value.oid and depend.refobjid = class.oid)
        where depend.classid = 'pg_class'::regclass::oid and depend.refclassid = 'pg_class'::regclass::oid
              and depend.refobjid = attribute.attrelid
           or depend.classid = 'pg_attrdef'::regclass::oid and depend.objid = value.oid
        limit 1) sequence on true
 where attribute.attrelid = :oid::oid
   and attribute.attnum > 0
   and not attribute.attisdropped
 order by attribute.attnum
