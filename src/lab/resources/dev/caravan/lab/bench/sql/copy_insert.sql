-- Inserts a batch in its order.
insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)
select id, 'order', msg_key, topic, data
from unnest(?::uuid[], ?::text[], ?::text[], ?::json[]) with ordinality as row (id, msg_key, topic, data, number)
order by number
