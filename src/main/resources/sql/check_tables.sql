-- Every column the relay reads or writes that is missing or has another type; a missing table has no column name.
-- Also says in which other schemas a table of that name lies, because a search_path or a missing USAGE hides it.
with expected (table_name, column_name, type) as (
    values ('outbox', 'id', 'bigint'),
           ('outbox', 'message_id', 'uuid'),
           ('outbox', 'aggregate_type', 'text'),
           ('outbox', 'aggregate_id', 'text'),
           ('outbox', 'type', 'text'),
           ('outbox', 'headers', 'jsonb'),
           ('outbox', 'payload', 'json'),
           ('outbox', 'created_at', 'timestamp with time zone'),
           ('outbox_subscription', 'name', 'text'),
           ('outbox_subscription', 'lane', 'integer'),
           ('outbox_subscription', 'position', 'bigint'),
           ('outbox_subscription', 'gaps', 'int8multirange'),
           ('outbox_subscription', 'owner', 'text'),
           ('outbox_subscription', 'epoch', 'bigint'),
           ('outbox_subscription', 'lease_until', 'timestamp with time zone'),
           ('outbox_subscription', 'paused', 'boolean'),
           ('outbox_subscription', 'saved_at', 'timestamp with time zone'),
           ('outbox_idempotent', 'processorname', 'text'),
           ('outbox_idempotent', 'messageid', 'text'),
           ('outbox_idempotent', 'createdat', 'timestamp without time zone')
)
select distinct expected.table_name,
       case when to_regclass(expected.table_name) is not null then expected.column_name end as column_name,
       case when to_regclass(expected.table_name) is not null then expected.type end as expected_type,
       format_type(attribute.atttypid, attribute.atttypmod) as actual_type,
       (select string_agg(namespace.nspname, ', ' order by namespace.nspname)
          from pg_class class
          join pg_namespace namespace on namespace.oid = class.relnamespace
         where class.relname = expected.table_name and class.relkind in ('r', 'p')) as found_in
  from expected
  left join pg_attribute attribute
    on attribute.attrelid = to_regclass(expected.table_name)
   and attribute.attname = expected.column_name
   and not attribute.attisdropped
 where attribute.attname is null
    or format_type(attribute.atttypid, attribute.atttypmod) <> expected.type
 order by 1, 2
