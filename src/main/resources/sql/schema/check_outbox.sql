-- The partitioning of the outbox and the sequence of its ids: the assumptions of the proof about missing ids.
-- One row; sequence columns are null when id has no sequence, last_id also when the role may not read the sequence.
select pg_get_partkeydef(to_regclass('outbox')) as partition_key,
       attribute.attidentity = 'a' as always_identity,
       class.oid::regclass::text as sequence_name,
       sequence.seqcache as cache,
       sequence.seqincrement as increment,
       sequence.seqcycle as cycles,
       has_sequence_privilege(class.oid, 'SELECT,USAGE') as readable,
       sequences.last_value as last_id
  from pg_attribute attribute
  left join pg_class class on class.oid = pg_get_serial_sequence('outbox', 'id')::regclass
  left join pg_namespace namespace on namespace.oid = class.relnamespace
  left join pg_sequence sequence on sequence.seqrelid = class.oid
  left join pg_sequences sequences on sequences.schemaname = namespace.nspname and sequences.sequencename = class.relname
 where attribute.attrelid = to_regclass('outbox') and attribute.attname = 'id'
