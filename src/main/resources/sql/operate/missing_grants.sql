-- The grants that this role lacks for the operations of people on the outbox of the session, as statements. Reads the catalog.
with needed (name, privileges) as (
    values ('outbox', '{SELECT}'::text[]),
           ('outbox_subscription', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_relay', '{SELECT,DELETE}'),
           ('outbox_retry', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_dead_letter', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_discarded', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_job', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_error_group', '{SELECT,INSERT,UPDATE,DELETE}'),
           ('outbox_history', '{SELECT}'),
           ('outbox_intake', '{SELECT,UPDATE,DELETE}'),
           ('outbox_intake_row', '{SELECT,DELETE}'),
           ('outbox_idempotent', '{SELECT,DELETE}'),
           ('outbox_audit', '{SELECT,INSERT,UPDATE}'),
           ('outbox_id_seq', '{SELECT}')
)
select 'grant ' || pg_catalog.lower(string_agg(privilege, ', ' order by position)) || ' on '
           || case when class.relkind = 'S' then 'sequence ' else '' end
           || quote_ident(current_schema()::text) || '.' || needed.name || ' to ' || quote_ident(current_user::text) as statement
  from needed
  join pg_class class on class.oid = to_regclass(needed.name)::oid
 cross join pg_catalog.unnest(needed.privileges) with ordinality as wanted (privilege, position)
 where not case when class.relkind = 'S' then has_sequence_privilege(class.oid, privilege)
                else has_table_privilege(class.oid, privilege) end
 group by needed.name, class.relkind
 order by needed.name
