-- What prevents Postgres from removing old row versions: sessions, prepared transactions, slots and standbys. Reads only views.
-- Only members of pg_read_all_stats see the times of sessions of other roles. Any role chooses the name of a prepared transaction: one with a
-- line break or another character that is not plain is written with escapes.
with holder as (
    select 'long-transaction' as kind,
           'session ' || pid::text as name,
           pg_catalog.format('application %s, user %s, %s', coalesce(nullif(application_name, ''), 'unknown'),
               coalesce(usename::text, 'unknown'), coalesce(state, 'state unknown')) as detail,
           coalesce(extract(epoch from clock_timestamp() - xact_start)::bigint, 0::bigint) as seconds,
           coalesce(age(backend_xmin), 0)::bigint as transactions,
           'End it if it is no longer needed, and limit such transactions: transaction_timeout, idle_in_transaction_session_timeout.' as fix,
           pg_catalog.format('select pg_terminate_backend(%s);', pid) as sql
      from pg_stat_activity
     where pid <> pg_backend_pid()
       and backend_type <> 'walsender'
       and (backend_xid is not null or backend_xmin is not null and coalesce(datname, current_database()) = current_database())
       and pid not in (select pid from pg_stat_progress_vacuum)
    union all
    select 'prepared-transaction', 'prepared transaction ' || gid, pg_catalog.format('database %s, owner %s', database, owner),
           extract(epoch from clock_timestamp() - prepared)::bigint, age(transaction),
           'Ask its transaction manager how it ended, and do the same here: commit or roll back.',
           'rollback prepared '
               || case when gid ~ '[^ -~]'
                       then pg_catalog.concat('E''',
                                              (select string_agg(pg_catalog.concat('\U', lpad(to_hex(ascii(sign)), 8, '0')), '' order by place)
                                                 from regexp_split_to_table(gid, '') with ordinality as signs (sign, place)),
                                              '''')
                       else quote_literal(gid) end || ';'
      from pg_prepared_xacts
    union all
    select 'slot-holds-vacuum', 'slot ' || slot_name::text, case when active then 'active' else 'inactive' end, 0,
           greatest(coalesce(age(xmin), 0), coalesce(age(catalog_xmin), 0)),
           'Start its reader, or drop the slot if it is no longer needed.',
           pg_catalog.format('select pg_drop_replication_slot(%L);', slot_name)
      from pg_replication_slots
    union all
    select 'standby-holds-vacuum', 'standby ' || coalesce(nullif(application_name, ''), pid::text), coalesce(host(client_addr), 'local'), 0,
           coalesce(age(backend_xmin), 0),
           'End the long query on the standby, or limit such queries there.',
           'alter system set hot_standby_feedback = off; -- on the standby'
      from pg_stat_replication
)
select kind, 'warning' as severity, name || ' (' || detail || ')' as about,
       case when seconds > 0 then pg_catalog.format('open for {seconds %s}', seconds)
            else pg_catalog.format('keeps row versions of {count %s} transactions', transactions) end as figure,
       fix, sql
  from holder
 where case when kind in ('long-transaction', 'prepared-transaction') then seconds >= :open_transaction_seconds::bigint
            else transactions >= :held_transactions::bigint end
 order by kind, name
