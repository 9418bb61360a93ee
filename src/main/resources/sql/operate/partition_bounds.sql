-- The last id of the outbox and the upper end of its partitions, from the catalog, so that a changed partition size has no effect.
-- One row. ahead: partitions that start above the last id drawn.
with bound as (
    select regexp_match(pg_get_expr(partition.relpartbound, partition.oid),
                        'FROM \(''?([^'')]+)''?\) TO \(''?([^'')]+)''?\)') as edges
      from pg_inherits
      join pg_class partition on partition.oid = pg_inherits.inhrelid
     where pg_inherits.inhparent = to_regclass('outbox')::oid
),
id_range as (
    select case edges[1] when 'MINVALUE' then -9223372036854775808 else edges[1]::bigint end as lower,
           case edges[2] when 'MAXVALUE' then 9223372036854775807 else edges[2]::bigint end as upper
      from bound
     where edges is not null
),
sequence as (
    select coalesce(sequences.last_value, sequences.start_value - 1) as last_id
      from pg_class class
      join pg_namespace namespace on namespace.oid = class.relnamespace
      join pg_sequences sequences on sequences.schemaname = namespace.nspname and sequences.sequencename = class.relname
     where class.oid = pg_get_serial_sequence('outbox', 'id')::regclass::oid
)
select sequence.last_id,
       coalesce((select max(upper) from id_range), 0) as covered_to,
       (select count(*) from id_range where lower > sequence.last_id) as ahead
  from sequence
