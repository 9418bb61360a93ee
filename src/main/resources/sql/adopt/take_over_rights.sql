-- Why a role cannot mark rows of a table, and what to do: missing rights on the table or a column, or row-level security. No row if it can.
with marking as (
    select quote_ident(role.rolname::text) as role,
           quote_ident(namespace.nspname::text) as schema,
           case when :deletes then 'delete' else 'update' end as mark,
           has_schema_privilege(role.oid, class.relnamespace, 'USAGE')
               and has_table_privilege(role.oid, class.oid, 'SELECT')
               and case when :deletes then has_table_privilege(role.oid, class.oid, 'DELETE')
                        else coalesce((select bool_and(has_column_privilege(role.oid, class.oid, name, 'UPDATE'))
                                         from pg_catalog.unnest(:columns::text[]) name), false) end as may_mark,
           class.relrowsecurity
               and not role.rolsuper
               and not role.rolbypassrls
               and (class.relforcerowsecurity or not pg_has_role(role.oid, class.relowner, 'USAGE')) as row_security
      from pg_class class
      join pg_namespace namespace on namespace.oid = class.relnamespace
      join pg_roles role on quote_ident(role.rolname::text) = :role
     where class.oid = :oid::oid
)
select case when not may_mark
            then pg_catalog.format('role %1$s may not read and mark rows. Run as the owner of the table: grant select, %2$s on %3$s to %1$s;'
                || ' grant usage on schema %4$s to %1$s', role, mark, :table::text, schema)
            else pg_catalog.format('row-level security of %2$s hides rows from role %1$s: they would not be marked. Give it the right:'
                || ' alter role %1$s bypassrls', role, :table::text) end as problem
  from marking
 where not may_mark or row_security
