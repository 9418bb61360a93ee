-- The schema of the extension pg_stat_statements; no row if it is not installed in this database.
select quote_ident(namespace.nspname::text) as schema
  from pg_extension extension
  join pg_namespace namespace on namespace.oid = extension.extnamespace
 where extension.extname = 'pg_stat_statements'
