-- The roles that may write to a table but lack a right that a capture needs if it runs with the rights of the writer, as SQL writes them.
-- Superusers have every right; roles of Postgres itself are left out. At most 20. Reads the catalog.
-- mark: the right to mark rows in a take-over, null for none.
select quote_ident(role.rolname::text) as role,
       not has_schema_privilege(role.oid, outbox.relnamespace, 'USAGE') as lacks_schema,
       not has_table_privilege(role.oid, outbox.oid, 'INSERT') as lacks_outbox,
       :mark::text is not null and not has_table_privilege(role.oid, class.oid, :mark::text) as lacks_mark
  from pg_class class
  join pg_class outbox on outbox.oid = 'outbox'::regclass::oid
  join pg_roles role
    on not role.rolsuper
   and role.rolname::text !~ '^pg_'
 where class.oid = :oid::oid
   and has_table_privilege(role.oid, class.oid, 'INSERT, UPDATE, DELETE')
   and (not has_schema_privilege(role.oid, outbox.relnamespace, 'USAGE')
        or not has_table_privilege(role.oid, outbox.oid, 'INSERT')
        or (:mark::text is not null and not has_table_privilege(role.oid, class.oid, :mark::text)))
 order by role.rolname
 limit 20
