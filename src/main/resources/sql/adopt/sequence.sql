-- A sequence: its limits and its last value. One row; the last value is null before the first use or without the right to read it.
-- Parameter: its oid.
select pg_catalog.format('%I.%I', namespace.nspname, class.relname) as quoted,
       sequence.seqcache as cache,
       sequence.seqincrement as increment,
       sequence.seqmax as maximum,
       sequence.seqcycle as cycles,
       has_sequence_privilege(class.oid, 'SELECT, USAGE') as readable,
       sequences.last_value as last_value
  from pg_sequence sequence
  join pg_class class on class.oid = sequence.seqrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
  left join pg_sequences sequences on sequences.schemaname = namespace.nspname and sequences.sequencename = class.relname
 where sequence.seqrelid = ?::oid
