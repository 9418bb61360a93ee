-- The roles that may create a trigger on a table to which relays or migrations write, or on a partition of the outbox, and could run any statement
-- with the rights of a relay by it. Not those that have these rights anyway: this role, superusers, the owner of the table and its members.
-- Granted with ALL, and often to an application by mistake. One row per role. Reads the catalog.
with granted as (
    select quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end) as role,
           string_agg(pg_catalog.format('%I.%I', namespace.nspname, class.relname), ', ' order by class.relname) as tables
      from pg_class outbox
      join pg_namespace namespace on namespace.oid = outbox.relnamespace
      join pg_class class on class.relnamespace = outbox.relnamespace
     cross join lateral aclexplode(class.relacl) acl
     where outbox.oid = to_regclass('outbox')::oid
       and class.relkind in ('r', 'p')
       and (class.relname::text ~ '^outbox(_subscription|_relay|_history|_idempotent|_retry|_dead_letter|_discarded|_error_group|_job|_audit|_notice|_backfill|_schema_history)?$'
             or class.oid in (select inhrelid from pg_inherits where inhparent = outbox.oid))
       and acl.privilege_type = 'TRIGGER'
       and case when acl.grantee = 0::oid then true
                else pg_get_userbyid(acl.grantee) <> current_user and not pg_has_role(acl.grantee, class.relowner, 'MEMBER') end
     group by acl.grantee
     order by role
     limit 20
)
select 'triggers' as about,
       'Role ' || role || ' may create triggers on ' || tables || ', and a trigger runs with the rights of the relay that writes to the table.'
           || ' Run: revoke trigger on ' || tables || ' from ' || role as text
  from granted
 order by role
