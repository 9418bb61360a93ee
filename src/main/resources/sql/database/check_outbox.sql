-- What is wrong in the partitioning of the outbox, in the sequence of its ids, and in the tables that a crash must not empty.
with target as (
\ir outbox_sequence.sql
)
select 'outbox' as about,
       'Table outbox is ' || coalesce('partitioned by ' || partition_key, 'not partitioned')
           || ', must be partitioned by RANGE (id), because old messages are removed by dropping partitions.'
           || ' Rename it and create a new one with: ./caravan schema apply' as text
  from target
 where partition_key is distinct from 'RANGE (id)'
union all
select 'outbox.id',
       'Column outbox.id is not GENERATED ALWAYS AS IDENTITY: an id chosen by an application can be below a position and would never be read.'
           || ' Run: alter table ' || outbox_name || ' alter id '
           || case when sequence_name is null then 'add generated always as identity' else 'set generated always' end
  from target
 where not always_identity or sequence_name is null
union all
select sequence_name,
       'Sequence ' || sequence_name || ' has CACHE ' || cache::text
           || ', must be 1: a cached id that is not used yet looks like a rolled-back one, and messages would be lost.'
           || ' Run: alter sequence ' || sequence_name || ' cache 1'
  from target
 where cache <> 1
union all
select sequence_name,
       'Sequence ' || sequence_name || ' must increment by 1 and not cycle, because ids determine the order of messages.'
           || ' Run: alter sequence ' || sequence_name || ' increment by 1 no cycle'
  from target
 where increment <> 1 or cycles
union all
select sequence_name,
       'The role may not read sequence ' || sequence_name || ', so it cannot be checked against the positions.'
           || ' Run as its owner: grant select on sequence ' || sequence_name || ' to the role in caravan.db.user (CARAVAN_DB_USER)'
  from target
 where not readable
union all
select name,
       kind || ' ' || name || ' is unlogged: after a crash of the server, and on a replica, it is empty, and messages would be lost.'
           || ' Run: alter ' || pg_catalog.lower(kind) || ' ' || name || ' set logged'
  from (select case when nspname <> 'public' then quote_ident(nspname::text) || '.' else '' end || quote_ident(relname::text) as name,
               case relkind when 'S'::"char" then 'Sequence' else 'Table' end as kind
          from pg_class
          join pg_namespace on pg_namespace.oid = relnamespace
         where relpersistence = 'u'::"char"
           and (pg_class.oid in (select to_regclass(kept.name)::oid
                                   from pg_catalog.unnest('{outbox_id_seq,outbox_subscription,outbox_retry,outbox_dead_letter,outbox_discarded,outbox_intake,outbox_intake_row,outbox_idempotent}'::text[])
                                            as kept (name))
                or pg_class.oid in (select inhrelid from pg_inherits where inhparent = to_regclass('outbox')::oid))) unlogged
