-- Takes back what this relay said, so that inserts notify nobody while messages flow. What another relay said since then stays;
-- one that said it before may still sleep, and is woken to say it again.
-- What a relay left behind that was killed is taken back too, once its time is over. Parameter: what this relay said last.
select setval('outbox_sleeper', last_value, false), pg_notify('outbox_insert', '')
from outbox_sleeper
where is_called
  and (last_value = ? or last_value < extract(epoch from clock_timestamp()) * 1000000)
