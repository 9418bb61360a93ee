-- The operators and functions in the schemas of the session that the conditions of the triggers of a capture use, and that roles without the
-- trust of this role (see database/stranger) own. Postgres looks them up when it creates a trigger, so this also finds one that existed for
-- that moment only: the trigger refers to it, and it is gone. One row per object, with its owner (null if it is gone). Reads the catalog.
with used as (
    select distinct refclassid, refobjid
      from pg_trigger
      join pg_depend on classid = 'pg_trigger'::regclass::oid and objid = pg_trigger.oid
     where tgfoid = to_regprocedure(:function::text)::oid
       and (refclassid = 'pg_operator'::regclass::oid or refclassid = 'pg_proc'::regclass::oid and refobjid <> tgfoid)
),
code (name, namespace, owner) as (
    select 'operator ' || refobjid::regoperator::text, oprnamespace, owners.oid
      from used
      left join pg_operator on pg_operator.oid = refobjid
      left join pg_proc on pg_proc.oid = oprcode::oid
     cross join lateral (select oprowner union select proowner) owners (oid)
     where refclassid = 'pg_operator'::regclass::oid
    union all
    select 'function ' || refobjid::regprocedure::text, pronamespace, proowner
      from used
      left join pg_proc on pg_proc.oid = refobjid
     where refclassid = 'pg_proc'::regclass::oid
)
select code.name,
       stranger.name as owner
  from code
  left join pg_roles owner on owner.oid = code.owner
  left join pg_namespace namespace on namespace.oid = code.namespace
  left join (
\ir ../database/stranger.sql
       ) stranger on stranger.oid = code.owner
 where owner.oid is null
    or namespace.nspname = any (current_schemas(false))
       and stranger.oid is not null
 order by code.name, stranger.name
