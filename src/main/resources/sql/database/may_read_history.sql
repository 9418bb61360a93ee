-- Whether this role may read the history of migrations in its schema; false if there is none. One row; reads the catalog.
select coalesce(has_table_privilege(to_regclass(quote_ident(current_schema()::text) || '.outbox_schema_history')::oid, 'SELECT'), false)
