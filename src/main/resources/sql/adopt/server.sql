-- The server, the database and the role of this session. One row; reads no table.
select current_database() as database,
       current_user as role,
       quote_ident(current_user::text) as quoted_role,
       current_setting('server_version') as version,
       pg_has_role(current_user::name, 'pg_read_all_stats'::name, 'USAGE') as sees_all
