-- The next transaction id; and the session, prepared transaction or slot that has prevented the removal of old row versions for longest,
-- with its name and age in transaction ids. A transaction with an id counts in every database of the server, a snapshot only in this one. A vacuum
-- prevents nothing. Every role can read these columns of all sessions, but not the start time of a transaction. Reads no table.
with holder as (
    select 'session ' || pid::text
               || ' (application ' || coalesce(nullif(application_name, ''), 'unknown')
               || ', user ' || coalesce(usename::text, 'unknown')
               || coalesce(', database ' || datname::text, '') || ')' as name,
           greatest(age(backend_xid), age(backend_xmin)) as behind
      from pg_stat_activity
     where pid <> pg_backend_pid()
       and (backend_xid is not null or backend_xmin is not null and coalesce(datname, current_database()) = current_database())
       and pid not in (select pid from pg_stat_progress_vacuum)
    union all
    select 'prepared transaction ' || gid, age(transaction)
      from pg_prepared_xacts
    union all
    select 'replication slot ' || slot_name::text, age(xmin)
      from pg_replication_slots
     where xmin is not null
)
select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next,
       oldest.name,
       greatest(oldest.behind, 0)
  from (values (true)) always (row)
  left join (select * from holder order by behind desc nulls last limit 1) oldest on true
