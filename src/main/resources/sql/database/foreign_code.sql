-- The operators, and the functions with the name of one of Postgres, that roles without the trust of this role (see stranger) own in the schemas of
-- the session.
-- Postgres prefers an exact match in any schema of the search_path, so a statement whose types are not exact would run them with the rights of
-- this role. One row per schema and owner, with the first names. Reads the catalog.
with searched as (
    select oid from pg_namespace where nspname = any (current_schemas(false)) and nspname <> 'pg_catalog'
),
code (namespace, owner, name) as (
    select oprnamespace, oprowner, 'operator ' || oid::regoperator::text
      from pg_operator
     where oprnamespace in (select oid from searched)
    union
    select oprnamespace, proowner, 'operator ' || pg_operator.oid::regoperator::text
      from pg_operator
      join pg_proc on pg_proc.oid = oprcode::oid
     where oprnamespace in (select oid from searched)
    union all
    select pronamespace, proowner, 'function ' || oid::regprocedure::text
      from pg_proc
     where pronamespace in (select oid from searched)
       and proname in (select proname from pg_proc where pronamespace = 'pg_catalog'::regnamespace::oid)
)
select quote_ident(namespace.nspname::text) as schema,
       quote_ident(current_user::text) as role,
       stranger.name as owner,
       left(string_agg(code.name, ', ' order by code.name), 500) as names
  from code
  join pg_namespace namespace on namespace.oid = code.namespace
  join (
\ir stranger.sql
       ) stranger on stranger.oid = code.owner
 group by namespace.nspname, stranger.name
 order by namespace.nspname, stranger.name
