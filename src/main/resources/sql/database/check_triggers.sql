-- The roles that could run any statement with the rights of a relay by a trigger: those that may create one on a table to which relays or
-- migrations write, or on a partition of the outbox; other owners of such a table than the owner of the outbox; and the owner of the schema, who
-- may drop a table and create another one of its name. Not those that have these rights anyway: this role, superusers, the owner of the table and
-- its members; nor, as owners, the owner of the database and roles of which this role is a member. Rights are granted with ALL, and often to an
-- application by mistake. One row per role, or per table of another owner. Reads the catalog.
with written as (
    select class.relowner, class.relacl, class.relname, namespace.nspname, outbox.relowner as outbox_owner
      from pg_class outbox
      join pg_namespace namespace on namespace.oid = outbox.relnamespace
      join pg_class class on class.relnamespace = outbox.relnamespace
     where outbox.oid = to_regclass('outbox')::oid
       and class.relkind in ('r', 'p')
       and (class.relname::text ~ '^outbox(_subscription|_relay|_history|_idempotent|_retry|_dead_letter|_discarded|_error_group|_job|_audit|_notice|_backfill|_schema_history)?$'
             or class.oid in (select inhrelid from pg_inherits where inhparent = outbox.oid))
),
granted as (
    select quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end) as role,
           string_agg(pg_catalog.format('%I.%I', nspname, relname), ', ' order by relname) as tables
      from written
     cross join lateral aclexplode(relacl) acl
     where acl.privilege_type = 'TRIGGER'
       and case when acl.grantee = 0::oid then true
                else pg_get_userbyid(acl.grantee) <> current_user and not pg_has_role(acl.grantee, relowner, 'MEMBER') end
     group by acl.grantee
     order by role
     limit 20
),
owned (owner, outbox_owner, kind, name, may) as (
    select relowner, outbox_owner, 'table', pg_catalog.format('%I.%I', nspname, relname),
           ', and its triggers run with the rights of the relay that writes to the table. Examine them and run: '
      from written
    union all
    select namespace.nspowner, outbox.relowner, 'schema', quote_ident(namespace.nspname::text),
           ', so it may replace the tables, and triggers of its tables run with the rights of the relay that writes to them. Use a schema that'
               || ' only the owner of the outbox owns, or run: '
      from pg_class outbox
      join pg_namespace namespace on namespace.oid = outbox.relnamespace
     where outbox.oid = to_regclass('outbox')::oid
),
strange as (
    select quote_ident(pg_get_userbyid(owner)::text) as role, kind, name, may, quote_ident(pg_get_userbyid(outbox_owner)::text) as outbox_owner
      from owned
     where not pg_has_role(owner, outbox_owner, 'MEMBER')
       and not pg_has_role(current_user, owner, 'MEMBER')
       and owner <> (select datdba from pg_database where datname = current_database())
       and pg_get_userbyid(owner) <> 'pg_database_owner'
     order by kind, name
     limit 20
)
select 'triggers' as about,
       'Role ' || role || ' may create triggers on ' || tables || ', and a trigger runs with the rights of the relay that writes to the table.'
           || ' Run: revoke trigger on ' || tables || ' from ' || role as text
  from granted
 union all
select 'triggers', 'Role ' || role || ' owns ' || kind || ' ' || name || may || 'alter ' || kind || ' ' || name || ' owner to ' || outbox_owner
  from strange
 order by text
