-- Replication slots that are lost or keep much WAL. Reads only views.
with slot as (
    select slot_name::text as name,
           slot_type as type,
           case when active then 'active' else 'inactive' end as state,
           wal_status,
           coalesce(wal_status in ('lost', 'unreserved'), false) as lost,
           coalesce(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn), 0)::bigint
               as bytes
      from pg_replication_slots
)
select 'slot-keeps-wal' as kind, case when lost then 'critical' else 'warning' end as severity,
       pg_catalog.format('slot %s (%s, %s)', name, type, state) as about,
       case when lost then 'its WAL is ' || wal_status else pg_catalog.format('keeps {bytes %s} of WAL', bytes) end as figure,
       'Start its reader, or drop the slot if it is no longer needed. Limit the WAL that slots keep with max_slot_wal_keep_size.' as fix,
       pg_catalog.format('select pg_drop_replication_slot(%L);', name) as sql
  from slot
 where lost or bytes >= :wal_bytes::bigint
 order by name
