-- Whether row-level security or missing rights on the table or a column prevent a role from marking rows of a table.
select has_schema_privilege(role.oid, class.relnamespace, 'USAGE') as may_use,
       has_table_privilege(role.oid, class.oid, 'SELECT') as may_select,
       case when :deletes then has_table_privilege(role.oid, class.oid, 'DELETE')
            else (select bool_and(has_column_privilege(role.oid, class.oid, name, 'UPDATE')) from pg_catalog.unnest(:columns::text[]) name) end as may_mark,
       class.relrowsecurity
           and not role.rolsuper
           and not role.rolbypassrls
           and (class.relforcerowsecurity or not pg_has_role(role.oid, class.relowner, 'USAGE')) as row_security,
       quote_ident(role.rolname::text) as role
  from pg_class class
  join pg_roles role on quote_ident(role.rolname::text) = :role
 where class.oid = :oid::oid
