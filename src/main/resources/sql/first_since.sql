-- The lowest id of the messages written at or after a time. Walks outbox_pkey from the start, as no index holds the time;
-- used once, when a subscription is created with start=<time>.
select id
from outbox
where created_at >= ?
order by id
limit 1
