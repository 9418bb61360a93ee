-- The pending rows in their order. Index: pending.
select id, msg_key, topic, data
from outbox
where state = 0
order by seq
limit ?
