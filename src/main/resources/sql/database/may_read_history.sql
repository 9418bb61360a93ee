-- Whether this role may read the history of migrations in its schema; false if there is none, or if it is not a table of this role, of a superuser
-- or of a member of the owner of the outbox: any role that may create in the schema could have created it, and a read would run its functions. One
-- row; reads the catalog.
select coalesce((select has_table_privilege(class.oid, 'SELECT')
                        and class.relkind = 'r'
                        and (role.rolsuper or role.rolname = current_user or pg_has_role(role.oid, outbox.relowner, 'MEMBER'))
                   from pg_class class
                   join pg_roles role on role.oid = class.relowner
                   join pg_class outbox on outbox.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox')::oid
                  where class.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox_schema_history')::oid), false)
