-- The definition of a table of messages. Reads only catalogs.
with target as (
    select :table::text as name,
           relpersistence = 'u'::"char" as unlogged,
           relrowsecurity as row_security,
           row_security_active(oid) as row_security_applies,
           pg_get_partkeydef(oid) as partition_key,
           exists (select from pg_index where indrelid = :oid::oid and indisprimary) as has_key
      from pg_class
     where oid = :oid::oid
)
select 'unlogged-table' as kind, 'critical' as severity, name as about, 'the table is unlogged' as figure,
       'Make it a logged table; this writes the whole table once and blocks writers meanwhile.' as fix,
       'alter table ' || name || ' set logged;' as sql
  from target
 where unlogged
union all
select 'row-level-security', 'warning', name,
       case when row_security_applies then 'row level security applies to this role' else 'row level security is enabled' end,
       'Give the role of the publisher the attribute BYPASSRLS, or disable row level security for this table.',
       'alter table ' || name || ' disable row level security;'
  from target
 where row_security
union all
select 'jsonb-payload', 'note', name || '.' || payload, 'type jsonb',
       'Use json for content that is only forwarded. The change rewrites the table: do it for a new table.',
       'alter table ' || name || ' alter ' || payload || ' type json;'
  from target
 cross join pg_catalog.unnest(:payloads::text[]) as payload
union all
select 'partitioned-by-published', 'warning', name, 'partitioned by ' || partition_key,
       'Partition by a column that never changes: the id, or the time of creation. The key of a table cannot be changed:'
           || ' create a new table and write new messages to it.',
       ''
  from target
 where partition_key ~ ('\y' || :published::text || '\y')
union all
select 'no-primary-key', 'warning', name, 'no primary key',
       'Add one. Build its index first with CREATE UNIQUE INDEX CONCURRENTLY, if the table is large.',
       'alter table ' || name || coalesce(' add primary key (' || :id::text || ');', ' add id bigint generated always as identity primary key;')
  from target
 where not has_key
union all
select 'narrow-ids', 'note', name || '.' || :id_name::text,
       pg_catalog.format('%s: at most {count %s} ids', :id_type::text, case :id_type::text when 'smallint' then 32767 else 2147483647 end),
       'Use bigint. The change rewrites the table and blocks it meanwhile: a new table is often easier.',
       'alter table ' || name || ' alter ' || :id::text || ' type bigint;'
  from target
 where :id_type::text in ('smallint', 'integer')
