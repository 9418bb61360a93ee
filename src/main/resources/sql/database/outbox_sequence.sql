-- The partitioning of the outbox and the sequence of its ids: the assumptions of the proof about missing ids.
-- One row; sequence columns are null when id has no sequence, last_id also when the role may not read the sequence. The names are for
-- statements that a person runs: they include the schema, unless it is public.
select pg_get_partkeydef(to_regclass('outbox')::oid) as partition_key,
       attribute.attidentity = 'a' as always_identity,
       case when namespace.nspname <> 'public' then quote_ident(namespace.nspname::text) || '.' else '' end || quote_ident(class.relname::text)
           as sequence_name,
       case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || 'outbox' as outbox_name,
       sequence.seqcache as cache,
       sequence.seqincrement as increment,
       sequence.seqcycle as cycles,
       has_sequence_privilege(class.oid, 'SELECT,USAGE') as readable,
       sequences.last_value as last_id
  from pg_attribute attribute
  left join pg_class class on class.oid = pg_get_serial_sequence('outbox', 'id')::regclass::oid
  left join pg_namespace namespace on namespace.oid = class.relnamespace
  left join pg_sequence sequence on sequence.seqrelid = class.oid
  left join pg_sequences sequences on sequences.schemaname = namespace.nspname and sequences.sequencename = class.relname
 where attribute.attrelid = to_regclass('outbox')::oid and attribute.attname = 'id'
