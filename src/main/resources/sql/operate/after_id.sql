-- The effect of resuming a subscription after an id: the last id of the sequence, the number of messages after the id and up to it (each
-- counted up to a bound), the highest id of waiting messages and dead letters, and the name of the sequence for a person, with its schema
-- unless that is public. Served by outbox_pkey, outbox_retry_pkey and outbox_dead_letter_pkey.
select (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       (select count(*) from (select from outbox where id > :after order by id limit :limit) part) as following,
       (select count(*) from (select from outbox where id <= :after order by id desc limit :limit) part) as passed,
       greatest((select max(id) from outbox_retry where subscription = :name),
                (select max(id) from outbox_dead_letter where subscription = :name),
                0) as highest,
       case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || 'outbox_id_seq' as sequence
