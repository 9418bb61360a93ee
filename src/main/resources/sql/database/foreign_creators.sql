-- The roles without the trust of this role (see foreign_code) that may create operators and functions in the schemas of the session. They could do
-- so between any look and a statement, and drop them again. The owner of the database counts as trusted. One row per schema. Reads the catalog.
select quote_ident(namespace.nspname::text) as schema,
       quote_ident(current_user::text) as role,
       string_agg(distinct case when able.oid = 0::oid then 'public' else quote_ident(pg_get_userbyid(able.oid)::text) end, ', ') as creators
  from pg_namespace namespace
 cross join lateral (select namespace.nspowner as oid
                     union
                     select grantee from aclexplode(namespace.nspacl) where privilege_type = 'CREATE') able
  left join pg_roles creator on creator.oid = able.oid
  left join pg_class outbox on outbox.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox')::oid
 where namespace.nspname = any (current_schemas(false))
   and namespace.nspname <> 'pg_catalog'
   and (able.oid = 0::oid
        or not creator.rolsuper
           and creator.rolname <> 'pg_database_owner'
           and creator.oid <> (select datdba from pg_database where datname = current_database())
           and not pg_has_role(creator.oid, current_user, 'MEMBER')
           and (outbox.oid is null
                or (select rolsuper from pg_roles where rolname = current_user)
                or not pg_has_role(creator.oid, outbox.relowner, 'MEMBER')))
 group by namespace.nspname
 order by namespace.nspname
