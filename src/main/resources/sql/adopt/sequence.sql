-- How the sequence of the ids assigns them. Reads only catalogs.
with sequence as (
    select pg_catalog.format('%I.%I', nspname, relname) as name, seqcache, seqcycle, seqmax, seqincrement
      from pg_sequence
      join pg_class class on class.oid = seqrelid
      join pg_namespace namespace on namespace.oid = class.relnamespace
     where seqrelid = :sequence::oid
)
select 'sequence-cache' as kind, 'warning' as severity, name as about, 'cache ' || seqcache::text as figure,
       'Set the cache to 1. Sessions use up the ids that they have drawn already.' as fix,
       'alter sequence ' || name || ' cache 1;' as sql
  from sequence
 where seqcache > 1
union all
select 'sequence-cycles', 'warning', name, pg_catalog.format('starts again after {count %s}', seqmax),
       'Let the sequence end instead, and monitor its last value.',
       'alter sequence ' || name || ' no cycle;'
  from sequence
 where seqcycle
union all
select 'sequence-increment', 'warning', name, 'increment ' || seqincrement::text,
       'Increment by 1, unless several servers share the numbers.',
       'alter sequence ' || name || ' increment by 1;'
  from sequence
 where seqincrement <> 1
