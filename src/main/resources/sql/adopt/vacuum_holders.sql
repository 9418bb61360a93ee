-- What prevents Postgres from removing old row versions: sessions, prepared transactions, slots and standbys. Reads only views.
-- Only members of pg_read_all_stats see the times of sessions of other roles.
select 'session' as kind,
       pid::text as name,
       pg_catalog.format('application %s, user %s, %s', coalesce(nullif(application_name, ''), 'unknown'),
           coalesce(usename::text, 'unknown'), coalesce(state, 'state unknown')) as detail,
       extract(epoch from clock_timestamp() - xact_start)::bigint as seconds,
       coalesce(age(backend_xmin), 0)::bigint as transactions
  from pg_stat_activity
 where pid <> pg_backend_pid()
   and backend_type <> 'walsender'
   and (backend_xid is not null or backend_xmin is not null and coalesce(datname, current_database()) = current_database())
   and pid not in (select pid from pg_stat_progress_vacuum)
union all
select 'prepared', gid, pg_catalog.format('database %s, owner %s', database, owner),
       extract(epoch from clock_timestamp() - prepared)::bigint, age(transaction)
  from pg_prepared_xacts
union all
select 'slot', slot_name, case when active then 'active' else 'inactive' end, null,
       greatest(coalesce(age(xmin), 0), coalesce(age(catalog_xmin), 0))
  from pg_replication_slots
union all
select 'standby', coalesce(nullif(application_name, ''), pid::text), coalesce(host(client_addr), 'local'), null, coalesce(age(backend_xmin), 0)
  from pg_stat_replication
 order by 1, 2
