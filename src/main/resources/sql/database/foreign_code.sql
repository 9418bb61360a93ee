-- The operators, and the functions with the name of one of Postgres, that roles without the trust of this role own in the schema of the session.
-- Postgres prefers an exact match in any schema of the search_path, so a statement whose types are not exact would run them with the rights of
-- this role. Not those of this role, of superusers (as of an extension), and of members of this role or of the owner of the outbox.
-- One row per owner, with the first names. Reads the catalog.
with code (owner, name) as (
    select oprowner, 'operator ' || oid::regoperator::text
      from pg_operator
     where oprnamespace = quote_ident(current_schema()::text)::regnamespace::oid
    union
    select proowner, 'operator ' || pg_operator.oid::regoperator::text
      from pg_operator
      join pg_proc on pg_proc.oid = oprcode::oid
     where oprnamespace = quote_ident(current_schema()::text)::regnamespace::oid
    union all
    select proowner, 'function ' || oid::regprocedure::text
      from pg_proc
     where pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
       and proname in (select proname from pg_proc where pronamespace = 'pg_catalog'::regnamespace::oid)
)
select quote_ident(current_schema()::text) as schema,
       quote_ident(current_user::text) as role,
       quote_ident(owner.rolname::text) as owner,
       left(string_agg(code.name, ', ' order by code.name), 500) as names
  from code
  join pg_roles owner on owner.oid = code.owner
  left join pg_class outbox on outbox.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox')::oid
 where not owner.rolsuper
   and not pg_has_role(owner.oid, current_user, 'MEMBER')
   and (outbox.oid is null or not pg_has_role(owner.oid, outbox.relowner, 'MEMBER'))
 group by owner.rolname
 order by owner.rolname
