-- Writes the statement that copies the next messages of outbox_default and returns the highest id copied (null: none are left). No
-- open transaction can add messages to the range of ids, and the copies are not read before swap_default.
-- Served by the primary key of outbox_default. Generated columns take no value;
-- the new table computes them. moving: its name.
select pg_catalog.format('with copied as (insert into %1$I.%3$I (%2$s) overriding system value '
              'select %2$s from %1$I.outbox where id > :after and id <= :upTo order by id limit :limit returning id) '
              'select max(id) from copied',
              namespace.nspname,
              string_agg(quote_ident(attname::text), ', ' order by attnum),
              :moving::text)
  from pg_class outbox
  join pg_namespace namespace on namespace.oid = outbox.relnamespace
  join pg_attribute on attrelid = outbox.oid
 where outbox.oid = to_regclass('outbox')::oid
   and attnum > 0
   and not attisdropped
   and attgenerated = ''
 group by namespace.nspname
