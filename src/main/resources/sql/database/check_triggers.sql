-- The roles that could run any statement with the rights of a relay, or prevent its deletes, by a trigger or a foreign key: those that may create
-- one on a table to which relays or migrations write, or on a partition of the outbox; owners of what a trigger, a foreign key, a constraint, an
-- index or another object of the table that exists already runs or reads, of what an event trigger runs, and of Caravan's functions; other owners
-- of such a table than the owner of the outbox; and the owner of the schema, who may drop a table and create another one of its name. Also the
-- roles that may set the sequence of the ids (setval), and those that may write to tables of relays and are neither a relay nor a person who
-- manages messages: these may read outbox_subscription, and need no right on outbox_schema_history; members of pg_write_all_data have it. A
-- backfill needs rights on outbox_backfill alone. Not those that have these rights anyway: this role, superusers, the owner of the table and its
-- members; nor, as owners, the owner of the database and roles of which this role is a member. A superuser counts as a member of every role, which
-- does not mean trust. Rights are granted with ALL, and often to an application by mistake. One row per role and list of tables, or per object of
-- another owner. Reads the catalog.
-- A foreign key that deletes along fires triggers of its own table, before Postgres 18 with the rights of the role that deletes.
with written as (
    select class.oid, class.relowner, class.relacl, class.relname, namespace.nspname, outbox.relowner as outbox_owner,
           class.oid = outbox.oid or class.relispartition as is_outbox
      from pg_class outbox
      join pg_namespace namespace on namespace.oid = outbox.relnamespace
      join pg_class class on class.relnamespace = outbox.relnamespace
     where outbox.oid = to_regclass('outbox')::oid
       and class.relkind in ('r', 'p', 'v', 'm', 'f')
       and (class.relname::text ~ '^outbox(_subscription|_relay|_intake|_intake_row|_lease|_history|_idempotent|_retry|_dead_letter|_discarded|_error_group|_job|_audit|_notice|_ended_session|_backfill|_schema_history)?$'
             or class.oid in (select inhrelid from pg_inherits where inhparent = outbox.oid))
),
granted as (
    select role, tables, 'TRIGGER' = any (pg_catalog.array_agg(right_name)) as by_trigger, 'REFERENCES' = any (pg_catalog.array_agg(right_name)) as by_key
      from (select quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end) as role,
                   acl.privilege_type as right_name,
                   string_agg(distinct pg_catalog.format('%I.%I', nspname, relname), ', ') as tables
              from written
             cross join lateral (select relacl
                                 union all
                                 select attacl from pg_attribute where attrelid = written.oid and attacl is not null) rights (given)
             cross join lateral aclexplode(rights.given) acl
             where acl.privilege_type in ('TRIGGER', 'REFERENCES')
               and case when acl.grantee = 0::oid then true
                        else pg_get_userbyid(acl.grantee) <> current_user and not pg_has_role(acl.grantee, relowner, 'MEMBER') end
             group by acl.grantee, acl.privilege_type) each_right
     group by role, tables
     order by role, by_trigger desc
     limit 20
),
writing as (
    select role, grantee,
           string_agg(distinct table_name, ', ') as tables,
           string_agg(distinct right_name, ', ') as rights,
           bool_or(of_history) as of_history
      from (select quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end) as role,
                   acl.grantee,
                   pg_catalog.lower(acl.privilege_type) as right_name,
                   pg_catalog.format('%I.%I', nspname, relname) as table_name,
                   relname = 'outbox_schema_history' as of_history
              from written
             cross join lateral (select relacl
                                 union all
                                 select attacl from pg_attribute where attrelid = written.oid and attacl is not null) rights (given)
             cross join lateral aclexplode(rights.given) acl
             where acl.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
               and not is_outbox
               and relname <> 'outbox_backfill'
               and case when acl.grantee = 0::oid then true
                        else pg_get_userbyid(acl.grantee) <> current_user and not pg_has_role(acl.grantee, relowner, 'MEMBER') end) each_right
     group by role, grantee
    having case when grantee = 0::oid then true
                else bool_or(of_history) or not has_table_privilege(grantee, to_regclass('outbox_subscription')::oid, 'SELECT') end
     order by role
     limit 20
),
setting as (
    select quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end) as role,
           pg_catalog.format('%I.%I', namespace.nspname, class.relname) as name
      from pg_class class
      join pg_namespace namespace on namespace.oid = class.relnamespace
     cross join lateral aclexplode(class.relacl) acl
     where class.oid = pg_get_serial_sequence('outbox', 'id')::regclass::oid
       and acl.privilege_type = 'UPDATE'
       and case when acl.grantee = 0::oid then true
                else pg_get_userbyid(acl.grantee) <> current_user and not pg_has_role(acl.grantee, class.relowner, 'MEMBER') end
     order by role
     limit 20
),
writing_all as (
    select quote_ident(role.rolname::text) as role
      from pg_auth_members
      join pg_roles role on role.oid = pg_auth_members.member
      join pg_class outbox on outbox.oid = to_regclass('outbox')::oid
     where roleid = 'pg_write_all_data'::regrole::oid
       and has_database_privilege(role.oid, current_database()::text, 'CONNECT')
       and role.rolname <> current_user
       and not pg_has_role(role.oid, outbox.relowner, 'MEMBER')
     order by role
     limit 20
),
owned (owner, outbox_owner, kind, name, may) as (
    select relowner, outbox_owner, 'table', pg_catalog.format('%I.%I', nspname, relname),
           ', and its triggers run with the rights of the relay that writes to the table. Examine them and run: '
      from written
    union all
    select proowner, outbox_owner, 'function',
           pg_catalog.format('%I.%I(%s)', namespace.nspname, proname, pg_get_function_identity_arguments(pg_proc.oid)),
           ', and ' || pg_describe_object(of_table.classid, of_table.objid, of_table.objsubid)
               || ' runs it with the rights of the relay that reads or writes to ' || pg_catalog.format('%I.%I', written.nspname, written.relname)
               || '. Drop that, or examine the function and run: '
      from written
      join pg_depend of_table on of_table.refclassid = 'pg_class'::regclass::oid and of_table.refobjid = written.oid
       and of_table.deptype in ('a'::"char", 'i'::"char") -- an object of this table, and not a view that reads it
      join pg_depend used on used.classid = of_table.classid and used.objid = of_table.objid
      left join pg_operator on used.refclassid = 'pg_operator'::regclass::oid and pg_operator.oid = used.refobjid
      join pg_proc
        on pg_proc.oid = case used.refclassid when 'pg_proc'::regclass::oid then used.refobjid else oprcode::oid end
      join pg_namespace namespace on namespace.oid = pronamespace
     where used.refclassid in ('pg_proc'::regclass::oid, 'pg_operator'::regclass::oid)
    union
    select proowner, outbox.relowner, 'function', pg_catalog.format('%I.%I()', namespace.nspname, proname),
           ', and event trigger ' || quote_ident(evtname::text) || ' runs it with the rights of the role that creates or drops a partition. Drop'
               || ' that, or examine the function and run: '
      from pg_event_trigger
      join pg_proc on pg_proc.oid = evtfoid
      join pg_namespace namespace on namespace.oid = pronamespace
      join pg_class outbox on outbox.oid = to_regclass('outbox')::oid
     where evtenabled <> 'D'::"char"
    union all
    select proowner, outbox.relowner, 'function',
           pg_catalog.format('%I.%I(%s)', namespace.nspname, proname, pg_get_function_identity_arguments(pg_proc.oid)),
           ', which relays and applications run with their rights. Examine it and run: '
      from pg_class outbox
      join pg_namespace namespace on namespace.oid = outbox.relnamespace
      join pg_proc on pronamespace = namespace.oid
     where outbox.oid = to_regclass('outbox')::oid
       and proname::text ~ '^outbox_(lane|key_hash|too_large|error_pattern|earlier_attempts|publish|publish_all)$'
    union all
    select class.relowner, outbox_owner, 'table', pg_catalog.format('%I.%I', namespace.nspname, class.relname),
           ', and its foreign key to ' || pg_catalog.format('%I.%I', written.nspname, written.relname)
               || ' can prevent that a relay deletes rows. Drop the foreign key, or examine the table and run: '
      from written
      join pg_constraint on confrelid = written.oid
      join pg_class class on class.oid = conrelid
      join pg_namespace namespace on namespace.oid = class.relnamespace
     where contype = 'f' and conparentid = 0::oid
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
       and not (pg_has_role(current_user, owner, 'MEMBER') and not (select rolsuper from pg_roles where rolname = current_user))
       and owner <> (select datdba from pg_database where datname = current_database())
       and pg_get_userbyid(owner) <> 'pg_database_owner'
     order by kind, name
     limit 20
)
select 'triggers' as about,
       'Role ' || role || ' may create '
           || pg_catalog.concat_ws(' and ', case when by_trigger then 'triggers' end, case when by_key then 'foreign keys' end) || ' on ' || tables
           || case when by_trigger then ', and a trigger runs with the rights of the relay that writes to the table' else '' end
           || case when by_key then ', and a foreign key can prevent that a relay deletes rows, or before Postgres 18 run triggers with its rights'
                   else '' end
           || '. Run: revoke ' || pg_catalog.concat_ws(', ', case when by_trigger then 'trigger' end, case when by_key then 'references' end)
           || ' on ' || tables || ' from ' || role as text
  from granted
 union all
select 'triggers', 'Role ' || role || ' owns ' || kind || ' ' || name || may || 'alter ' || kind || ' ' || name || ' owner to ' || outbox_owner
  from strange
 union all
select 'grants', 'Role ' || role || ' has ' || rights || ' on ' || tables
           || ', which only relays and people who manage messages need: it can make relays discard, change, repeat or skip messages'
           || ' (docs/configuration.md, What a grant means). Run: revoke ' || rights || ' on ' || tables || ' from ' || role
           || case when of_history and grantee <> 0::oid
                   then '. If it is a relay or such a person, revoke them on outbox_schema_history only' else '' end
  from writing
 union all
select 'grants', 'Role ' || role || ' is a member of pg_write_all_data, and so may write to all tables, which only relays and people who manage'
           || ' messages need: it can make relays discard, change, repeat or skip messages (docs/configuration.md, What a grant means).'
           || ' Run: revoke pg_write_all_data from ' || role
  from writing_all
 union all
select 'sequence', 'Role ' || role || ' may set sequence ' || name || ', and messages of others would not be delivered.'
           || ' Run: revoke update on sequence ' || name || ' from ' || role
  from setting
 order by text
