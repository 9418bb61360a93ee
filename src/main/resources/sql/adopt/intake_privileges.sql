-- What the role of a relay lacks to copy rows of intakes, one row per table; named with its schema, unless that is public. Used by the check of
-- intakes; check_privileges has what every relay needs. has_table_privilege of a table that does not exist is null: check_tables reports it.
with needed (table_name, privilege) as (
    values ('outbox', 'INSERT'),
           ('outbox_intake', 'SELECT'),
           ('outbox_intake', 'INSERT'),
           ('outbox_intake', 'UPDATE'),
           ('outbox_intake_row', 'SELECT'),
           ('outbox_intake_row', 'INSERT'),
           ('outbox_intake_row', 'UPDATE'),
           ('outbox_intake_row', 'DELETE')
),
lacking (table_name, privileges) as (
    select case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || table_name,
           string_agg(pg_catalog.lower(privilege), ', ' order by privilege desc)
      from needed
     where not has_table_privilege(to_regclass(table_name)::oid, privilege)
     group by table_name
)
select 'Role ' || current_user::text || ' lacks ' || privileges || ' on ' || table_name || ', which intakes need. Run as its owner: grant ' || privileges
           || ' on ' || table_name || ' to ' || quote_ident(current_user::text) as text
  from lacking
 order by table_name
