-- How many connections this role may have at the same time, by the limits of the server, of the database and of the role; null for no limit.
-- Some connections of a server are reserved for superusers and, from Postgres 16 on, for some roles.
select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true), '0')::int as of_server,
       nullif(datconnlimit, -1) as of_database,
       nullif(rolconnlimit, -1) as of_role
  from pg_database, pg_roles
 where datname = current_database()
   and rolname = current_user
