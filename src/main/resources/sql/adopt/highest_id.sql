-- Whether the ids of a table run out, and whether its sequence is behind them. The sequence is read after the snapshot of the rows, because
-- inserts continue. Served by an index on the id.
with highest as (
    select /* caravan doctor */ max({id})::bigint as id,
           case {text id_type} when 'smallint' then 32767 when 'integer' then 2147483647 else 9223372036854775807 end as largest
      from {table}
),
sequence as (
    select pg_catalog.format('%I.%I', nspname, relname) as name, seqmax, seqincrement,
           has_sequence_privilege(seqrelid, 'SELECT, USAGE') as readable,
           case when has_sequence_privilege(seqrelid, 'SELECT, USAGE') then pg_sequence_last_value(seqrelid::regclass) end as last
      from pg_sequence
      join pg_class class on class.oid = seqrelid
      join pg_namespace namespace on namespace.oid = class.relnamespace
     where seqrelid = {sequence}::oid
),
ids as (
    select id, name, readable, seqincrement, coalesce(last, 0::bigint) as last,
           greatest(coalesce(id, 0::bigint), coalesce(last, 0::bigint)) as reached,
           least(largest, coalesce(seqmax, largest)) as largest,
           largest <= coalesce(seqmax, largest) as narrow
      from highest
      left join sequence on true
)
select 'ids-run-out' as kind, case when reached::numeric / largest::numeric < 0.8 then 'warning' else 'critical' end as severity,
       {text table} || '.' || {text id_name} as about,
       pg_catalog.format('%s %% used: {count %s} of {count %s}', round(100::numeric * reached::numeric / largest::numeric, 1), reached, largest)
           as figure,
       case when narrow
            then 'Change the column to bigint in time. The change rewrites the table and blocks it meanwhile: a new table is often easier.'
            else 'Raise the maximum of the sequence.' end as fix,
       case when narrow then pg_catalog.format('alter table %s alter %s type bigint;', {text table}, {text id})
            else 'alter sequence ' || name || ' no maxvalue;' end as sql
  from ids
 where reached::numeric / largest::numeric >= 0.5
union all
select 'sequence-behind', 'critical', name, pg_catalog.format('at {count %s}, but the table contains id {count %s}', last, id),
       'Set the sequence to the highest id. Find out who inserts rows with explicit ids, or which restore did not set the sequence.',
       pg_catalog.format('select setval(%L, %s);', name, id)
  from ids
 where readable and seqincrement > 0 and id > last and not {of_caravan}
union all
select 'not-examined', null, null, 'the role may not read the sequence', 'grant select on sequence ' || name || ' to it', null
  from ids
 where not readable and not {of_caravan}
