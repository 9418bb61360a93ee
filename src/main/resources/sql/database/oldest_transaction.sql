-- The transaction that has prevented Postgres for longest from removing old row versions, and its start: of a session, or prepared.
-- Only members of pg_read_all_stats see the start for sessions of other roles. Reads no table.
select holder.name,
       extract(epoch from clock_timestamp() - holder.since)::bigint as seconds
  from (select 'session ' || pid::text
                   || ' (application ' || coalesce(nullif(application_name, ''), 'unknown')
                   || ', user ' || coalesce(usename::text, 'unknown')
                   || coalesce(', database ' || datname::text, '') || ')' as name,
               xact_start as since
          from pg_stat_activity
         where pid <> pg_backend_pid()
           and (backend_xid is not null or backend_xmin is not null and coalesce(datname, current_database()) = current_database())
           and pid not in (select pid from pg_stat_progress_vacuum)
        union all
        select 'prepared transaction ' || gid, prepared
          from pg_prepared_xacts) holder
 where holder.since <= clock_timestamp() - :seconds::double precision * interval '1 second'
 order by holder.since
 limit 1
