-- Why no message has an id: the last id of the sequence, the lowest one in the outbox, and the subscriptions that have the id in
-- their gaps. Served by outbox_pkey and outbox_subscription_pkey. Parameter: id (twice).
select (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       (select id from outbox order by id limit 1) as lowest,
       (select coalesce(array_agg(distinct name order by name), '{}')
          from outbox_subscription
         where gaps @> ?::bigint
            or older_gaps @> ?::bigint) as missing_in
