-- Replication slots and the WAL that each of them keeps. Reads only views.
select slot_name as name,
       slot_type as type,
       active,
       coalesce(wal_status, '') as wal_status,
       pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn)::bigint
           as bytes
  from pg_replication_slots
 order by slot_name
