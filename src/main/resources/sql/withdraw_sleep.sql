-- Takes back what this relay said, so that inserts notify nobody while messages flow. What another relay said since then stays;
-- one that said it before may still sleep, and is woken to say it again.
-- Parameter: what this relay said last.
select setval('outbox_sleeper', last_value, false), pg_notify('outbox_insert', '')
from outbox_sleeper
where last_value = ? and is_called
