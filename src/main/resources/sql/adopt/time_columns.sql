-- The times of a table of messages, by their types and defaults. Reads no table.
select 'timestamp-without-zone' as kind, 'note' as severity, :table::text || '.' || name as about, 'type timestamp without time zone' as figure,
       'Use timestamptz. Replace UTC by the zone in which the values were written. The change rewrites the table.' as fix,
       pg_catalog.format('alter table %1$s alter %2$I type timestamptz using %2$I at time zone ''UTC'';', :table::text, name) as sql
  from pg_catalog.unnest(:times_without_zone::text[]) as name
union all
select 'timestamp-without-default', 'note', :table::text || '.' || name, 'no default',
       'Let the database set the time, and omit the column in inserts.',
       pg_catalog.format('alter table %s alter %I set default clock_timestamp();', :table::text, name)
  from pg_catalog.unnest(:times_without_default::text[]) as name
