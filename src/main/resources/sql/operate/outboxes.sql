-- The schemas of this database with the tables of an outbox, the schema of the session first. One row per schema; reads the catalog.
-- readable: whether this role may read the tables that show the state of an outbox.
-- untrusted: other roles that could run their own functions with the rights of this role: by creating a function there, because the schema is
-- in the search_path; through a table there that they own, or a function or an operator that the statements could use; or through a function, an
-- operator, a domain or a view that the tables use: in triggers, policies, constraints, indexes and their operator classes, defaults, generated
-- columns and rules, and what these use in turn, as far as the catalog knows it. Also through a table with a foreign key to it, and a partition,
-- whose checks Postgres may evaluate while it plans a read, unless they are members of the owner of the outbox and can act as that role. Views are
-- never read: the outbox would count as one of another version. Trusted are this role, superusers, the owner of the database, the owner of the
-- tables of the session's schema, and roles of which this role is a member. A superuser counts as a member of every role, and before Postgres 15 a
-- role may grant itself to others: in both cases membership does not mean trust.
-- The owners are collected once for all outboxes, because a survey has 2 s, also with many schemas and partitions.
with recursive me as (
    select oid, rolsuper from pg_roles where rolname = current_user
), trusted as (
    select role.oid
      from pg_roles role
     cross join me
     where role.rolsuper
        or role.oid = me.oid
        or role.rolname = 'pg_database_owner'
        or role.oid = (select datdba from pg_database where datname = current_database())
        or role.oid = (select relowner from pg_class where oid = to_regclass('outbox_subscription')::oid)
        or (not me.rolsuper
            and current_setting('server_version_num')::int >= 150000
            and pg_has_role(me.oid, role.oid, 'member'))
), outbox as (
    select namespace.oid, namespace.nspname, namespace.nspowner, namespace.nspacl
      from pg_class subscription
      join pg_namespace namespace on namespace.oid = subscription.relnamespace
     where subscription.relname = 'outbox_subscription'
       and subscription.relkind = 'r'
       and (cast(:schema as text) is null or namespace.nspname = cast(:schema as text))
       and exists (select from pg_class where relnamespace = namespace.oid and relname = 'outbox' and relkind = 'p')
), tables as (
    select outbox.oid as schema, pg_class.oid
      from outbox
      join pg_class on relnamespace = outbox.oid
     where relname::text like 'outbox%'
       and relkind in ('r', 'p', 'f')
    union
    select outbox.oid, inhrelid
      from outbox
      join pg_class parent on parent.relnamespace = outbox.oid and parent.relname = 'outbox'
      join pg_inherits on inhparent = parent.oid
    union
    select outbox.oid, conrelid
      from pg_constraint
      join pg_class referenced on referenced.oid = confrelid
      join outbox on outbox.oid = referenced.relnamespace
     where contype = 'f'
       and referenced.relname::text like 'outbox%'
), used (schema, class, object) as (
    select schema, 'pg_class'::regclass::oid, oid from tables
    union
    select used.schema, next.class, next.object
      from used
     cross join lateral (select refclassid as class, refobjid as object
                           from pg_depend
                          where classid = used.class and objid = used.object
                            and (refclassid in ('pg_proc'::regclass::oid, 'pg_operator'::regclass::oid, 'pg_type'::regclass::oid,
                                                'pg_opclass'::regclass::oid)
                                 or refclassid = 'pg_class'::regclass::oid
                                    and used.class in ('pg_rewrite'::regclass::oid, 'pg_policy'::regclass::oid, 'pg_proc'::regclass::oid))
                         union all
                         select classid, objid
                           from pg_depend
                          where refclassid = used.class and refobjid = used.object
                            and deptype in ('a'::"char", 'i'::"char")
                            and used.class in ('pg_class'::regclass::oid, 'pg_type'::regclass::oid, 'pg_opclass'::regclass::oid)) next
), owners (schema, role) as materialized (
    select used.schema, proowner
      from used
      join pg_proc on pg_proc.oid = used.object
     where used.class = 'pg_proc'::regclass::oid
    union
    select used.schema, typowner
      from used
      join pg_type on pg_type.oid = used.object
     where used.class = 'pg_type'::regclass::oid
       and typtype = 'd'::"char"
    union
    select used.schema, relowner
      from used
      join pg_class on pg_class.oid = used.object
     where used.class = 'pg_class'::regclass::oid
       and relkind in ('r', 'p', 'v', 'm', 'f')
       and not relispartition
)
select outbox.nspname as name,
       coalesce(outbox.nspname = current_schema(), false) as own,
       quote_ident(outbox.nspname::text) as quoted_name,
       quote_ident(current_user::text) as quoted_role,
       (select string_agg(distinct case when role = 0::oid then 'PUBLIC' else pg_get_userbyid(role)::text end, ', ')
          from (select outbox.nspowner as role
                union all
                select relowner
                  from pg_class
                 where relnamespace = outbox.oid
                   and relname::text like 'outbox%'
                   and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                   and not relispartition
                union all
                select partition.relowner
                  from pg_class parent
                  join pg_inherits on inhparent = parent.oid
                  join pg_class partition on partition.oid = inhrelid
                 where parent.relnamespace = outbox.oid
                   and parent.relname = 'outbox'
                   and not pg_has_role(partition.relowner, parent.relowner, 'MEMBER')
                union all
                select role from owners where owners.schema = outbox.oid
                union all
                select proowner
                  from pg_proc
                 where pronamespace = outbox.oid
                   and (proname::text like 'outbox%'
                        or proname in (select proname from pg_proc where pronamespace = 'pg_catalog'::regnamespace::oid))
                union all
                select unnest(array[oprowner, proowner])
                  from pg_operator
                  join pg_proc on pg_proc.oid = oprcode::oid
                 where oprnamespace = outbox.oid
                union all
                select grantee from aclexplode(outbox.nspacl) where privilege_type = 'CREATE') able
         where role not in (select oid from trusted)) as untrusted,
       has_schema_privilege(outbox.oid, 'USAGE')
           and (select coalesce(bool_and(has_table_privilege(oid, 'SELECT')), false)
                  from pg_class
                 where relnamespace = outbox.oid
                   and relname in ('outbox', 'outbox_id_seq', 'outbox_subscription', 'outbox_relay', 'outbox_retry', 'outbox_dead_letter', 'outbox_intake')
                   and relkind in ('r', 'p', 'S')) as readable
  from outbox
 order by own desc, name
 limit 200
