-- Whether this role may lock a table in share update exclusive mode. Reads the catalog.
select has_table_privilege(:oid::oid, 'UPDATE, DELETE, TRUNCATE') and not pg_is_in_recovery() as may_lock
