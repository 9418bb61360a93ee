-- The schema version of the tables: that of the latest migration, or of the baseline. One row; the history has a row for each migration.
select coalesce(max(split_part(version::text, '.', 1)::int), 0)
  from outbox_schema_history
 where success and version is not null
