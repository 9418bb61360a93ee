-- A name for a new table in the schema of the outbox: the wanted one or, if something has it, the same with a random end. Any role that may
-- create in the schema can take a name; a type takes that of a table, too. taken: what has the name, and whose it is. One row; reads the catalog.
select case when taken.what is null then wanted.name else wanted.name || '_' || left(gen_random_uuid()::text, 8) end as name,
       taken.what as taken
  from (values (:name::text)) wanted (name)
  left join lateral (
      select pg_catalog.format('%s %I.%I of role %I', thing.kind, namespace.nspname, wanted.name, pg_get_userbyid(thing.owner)) as what
        from pg_class outbox
        join pg_namespace namespace on namespace.oid = outbox.relnamespace
       cross join lateral (
            select case when relkind in ('r', 'p') then 'table' when relkind = 'v' then 'view' when relkind = 'c' then 'type' else 'relation' end as kind,
                   relowner as owner
              from pg_class
             where relnamespace = namespace.oid
               and relname = wanted.name
             union all
            select 'type', typowner
              from pg_type
             where typnamespace = namespace.oid
               and typname = wanted.name) thing
       where outbox.oid = to_regclass('outbox')::oid
       limit 1) taken on true
