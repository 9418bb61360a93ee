-- The values of a status column: the labels of its type, if it is an enum, and the most common values that ANALYZE found.
-- Reads no row of the table.
select pg_catalog.unnest(stats.most_common_vals::text::text[]) as value
  from pg_stats stats
  join pg_namespace namespace on namespace.nspname = stats.schemaname
  join pg_class class on class.relnamespace = namespace.oid and class.relname = stats.tablename
 where stats.attname::text = :column::text and class.oid = any (:parts::oid[])
union
select label.enumlabel
  from pg_attribute attribute
  join pg_type type on type.oid = attribute.atttypid
  join pg_enum label on label.enumtypid in (type.oid, type.typbasetype)
 where attribute.attrelid = :oid::oid and attribute.attname::text = :column::text
 limit 200
