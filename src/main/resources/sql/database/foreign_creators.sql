-- The roles without the trust of this role (see stranger) that may create operators and functions in the schemas of the session. They could do
-- so between any look and a statement, and drop them again. The owner of the database counts as trusted. One row per schema. Reads the catalog.
select quote_ident(namespace.nspname::text) as schema,
       quote_ident(current_user::text) as role,
       string_agg(distinct coalesce(stranger.name, 'public'), ', ') as creators
  from pg_namespace namespace
 cross join lateral (select namespace.nspowner as oid
                     union
                     select grantee from aclexplode(namespace.nspacl) where privilege_type = 'CREATE') able
  left join (
\ir stranger.sql
       ) stranger on stranger.oid = able.oid
 where namespace.nspname = any (current_schemas(false))
   and namespace.nspname <> 'pg_catalog'
   and (able.oid = 0::oid
        or stranger.name <> 'pg_database_owner'
           and stranger.oid <> (select datdba from pg_database where datname = current_database()))
 group by namespace.nspname
 order by namespace.nspname
