-- What is wrong in the server and in the encoding of the database, which must be able to store and return every message. Only ASCII, for any
-- encoding.
select 'server version' as about,
       'Postgres ' || (current_setting('server_version_num')::integer / 10000)::text
           || ' is too old: Caravan needs multiranges, which exist since Postgres 14. Upgrade the server.' as text
 where current_setting('server_version_num')::integer < 140000
union all
select 'encoding',
       'The database has the encoding ' || current_setting('server_encoding')
           || '. Messages and errors have characters of all languages, which it cannot store or does not check: one such row would stop every'
           || ' subscription. Caravan needs a database with the encoding UTF8. An encoding cannot be changed: create a database with:'
           || ' create database NAME encoding ''UTF8'' template template0, and copy yours with pg_dump.'
 where current_setting('server_encoding') <> 'UTF8'
