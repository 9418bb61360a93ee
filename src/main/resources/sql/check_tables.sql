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
           ('outbox_subscription', 'types', 'text[]'),
           ('outbox_subscription', 'saves', 'bigint'),
           ('outbox_subscription', 'lanes', 'integer'),
           ('outbox_subscription', 'barrier', 'bigint'),
           ('outbox_subscription', 'barrier_until', 'timestamp with time zone'),
           ('outbox_relay', 'subscription', 'text'),
           ('outbox_relay', 'relay', 'text'),
           ('outbox_relay', 'lanes', 'integer'),
           ('outbox_relay', 'until', 'timestamp with time zone'),
           ('outbox_retry', 'subscription', 'text'),
           ('outbox_retry', 'lane', 'integer'),
           ('outbox_retry', 'id', 'bigint'),
           ('outbox_retry', 'message_id', 'uuid'),
           ('outbox_retry', 'aggregate_type', 'text'),
           ('outbox_retry', 'aggregate_id', 'text'),
           ('outbox_retry', 'type', 'text'),
           ('outbox_retry', 'headers', 'jsonb'),
           ('outbox_retry', 'payload', 'json'),
           ('outbox_retry', 'created_at', 'timestamp with time zone'),
           ('outbox_retry', 'blocked', 'boolean'),
           ('outbox_retry', 'attempts', 'integer'),
           ('outbox_retry', 'next_attempt_at', 'timestamp with time zone'),
           ('outbox_retry', 'first_failed_at', 'timestamp with time zone'),
           ('outbox_retry', 'last_failed_at', 'timestamp with time zone'),
           ('outbox_retry', 'error_class', 'text'),
           ('outbox_retry', 'error_text', 'text'),
           ('outbox_retry', 'edited', 'boolean'),
           ('outbox_dead_letter', 'subscription', 'text'),
           ('outbox_dead_letter', 'lane', 'integer'),
           ('outbox_dead_letter', 'id', 'bigint'),
           ('outbox_dead_letter', 'message_id', 'uuid'),
           ('outbox_dead_letter', 'aggregate_type', 'text'),
           ('outbox_dead_letter', 'aggregate_id', 'text'),
           ('outbox_dead_letter', 'type', 'text'),
           ('outbox_dead_letter', 'headers', 'jsonb'),
           ('outbox_dead_letter', 'payload', 'json'),
           ('outbox_dead_letter', 'created_at', 'timestamp with time zone'),
           ('outbox_dead_letter', 'attempts', 'integer'),
           ('outbox_dead_letter', 'first_failed_at', 'timestamp with time zone'),
           ('outbox_dead_letter', 'last_failed_at', 'timestamp with time zone'),
           ('outbox_dead_letter', 'error_class', 'text'),
           ('outbox_dead_letter', 'error_text', 'text'),
           ('outbox_dead_letter', 'error_stack', 'text'),
           ('outbox_dead_letter', 'step', 'text'),
           ('outbox_dead_letter', 'edited', 'boolean'),
           ('outbox_idempotent', 'processorname', 'text'),
           ('outbox_idempotent', 'messageid', 'text'),
           ('outbox_idempotent', 'createdat', 'timestamp without time zone'),
           ('outbox_sleeper', 'last_value', 'bigint')
)
select distinct expected.table_name,
       case when to_regclass(expected.table_name) is not null then expected.column_name end as column_name,
       case when to_regclass(expected.table_name) is not null then expected.type end as expected_type,
       format_type(attribute.atttypid, attribute.atttypmod) as actual_type,
       (select string_agg(namespace.nspname, ', ' order by namespace.nspname)
          from pg_class class
          join pg_namespace namespace on namespace.oid = class.relnamespace
         where class.relname = expected.table_name and class.relkind in ('r', 'p', 'S')) as found_in
  from expected
  left join pg_attribute attribute
    on attribute.attrelid = to_regclass(expected.table_name)
   and attribute.attname = expected.column_name
   and not attribute.attisdropped
 where attribute.attname is null
    or format_type(attribute.atttypid, attribute.atttypmod) <> expected.type
 order by 1, 2
