-- The grants that the roles lack that may write to a table, if a capture runs with the rights of the writer, as statements. Superusers have
-- every right; roles of Postgres itself are left out. Of at most 20 roles. Reads the catalog. mark: the right to mark rows in a take-over, null
-- for none.
with writer as (
    select quote_ident(role.rolname::text) as role,
           role.rolname,
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
)
select statement
  from (select * from writer where lacks_schema or lacks_outbox or lacks_mark order by rolname limit 20) lacking
 cross join lateral (values (1, lacks_schema, 'grant usage on schema ' || :schema::text || ' to ' || role),
                            (2, lacks_outbox, 'grant insert on ' || :schema::text || '.outbox to ' || role),
                            (3, lacks_mark, 'grant ' || :mark::text || ' on ' || :table::text || ' to ' || role)) missing (place, lacks, statement)
 where lacks
 order by rolname, place
