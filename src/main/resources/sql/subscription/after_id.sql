-- What it means for a subscription to go on after an id: the last id that was given out, the messages after it and up to it (each
-- counted up to a bound), and the highest id of what waits or is dead. Served by outbox_pkey, outbox_retry_pkey and
-- outbox_dead_letter_pkey. Parameters: id, bound; id, bound; name; name.
select (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       (select count(*) from (select from outbox where id > ? order by id limit ?) part) as following,
       (select count(*) from (select from outbox where id <= ? order by id desc limit ?) part) as passed,
       greatest((select max(id) from outbox_retry where subscription = ?),
                (select max(id) from outbox_dead_letter where subscription = ?),
                0) as kept
