-- The id that the next transaction gets; and whoever keeps Postgres from removing old row versions for longest, if anybody does: who
-- that is, and how many ids ago it began to. A transaction counts in every database of the server, a mere snapshot in this one only. A vacuum
-- holds nothing back. Any role sees these columns of all sessions, but not since when a transaction runs. Reads no table.
with holder as (
    select 'session ' || pid
               || ' (application ' || coalesce(nullif(application_name, ''), 'unknown')
               || ', user ' || coalesce(usename::text, 'unknown')
               || coalesce(', database ' || datname, '') || ')' as name,
           greatest(age(backend_xid), age(backend_xmin)) as behind
      from pg_stat_activity
     where pid <> pg_backend_pid()
       and (backend_xid is not null or backend_xmin is not null and coalesce(datname, current_database()) = current_database())
       and pid not in (select pid from pg_stat_progress_vacuum)
    union all
    select 'prepared transaction ' || gid, age(transaction)
      from pg_prepared_xacts
    union all
    select 'replication slot ' || slot_name, age(xmin)
      from pg_replication_slots
     where xmin is not null
)
select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
       oldest.name,
       greatest(oldest.behind, 0)
  from (values (true)) always (row)
  left join (select * from holder order by behind desc nulls last limit 1) oldest on true
