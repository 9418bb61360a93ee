-- Takes back what this relay said, so that inserts notify nobody while messages flow; what another relay said since then stays.
-- Parameter: what this relay said last.
select setval('outbox_sleeper', last_value, false) from outbox_sleeper where last_value = ? and is_called
