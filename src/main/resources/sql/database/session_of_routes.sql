-- The settings with which the session has begun, as a statement that sets them again; and whether a function in this database, which a trigger or a
-- view may call, could change the session: a statement does not show it. Once for each connection. Names are qualified, because the
-- session searches schemas of users.
select (select pg_catalog.concat('select ', pg_catalog.string_agg(
                   pg_catalog.format('pg_catalog.set_config(%L, %L, false)', name, setting), ', '))
        from pg_catalog.pg_settings
        where source operator(pg_catalog.=) 'session'::text) as settings,
       exists (select
               from pg_catalog.pg_proc function
               join pg_catalog.pg_namespace schema on schema.oid operator(pg_catalog.=) function.pronamespace
               where schema.nspname operator(pg_catalog.<>) 'pg_catalog'::name
                 and schema.nspname operator(pg_catalog.<>) 'information_schema'::name
                 and pg_catalog.concat(function.prosrc, pg_catalog.pg_get_function_sqlbody(function.oid)) operator(pg_catalog.~*)
                     '\mset_config\M|advisory_|\mtemp(orary)?\M|\mwith\s+hold\M|(^|[;''$]|\m(begin|then|else|loop|execute)\M)\s*(set|listen|prepare)\s'::text) as hidden
