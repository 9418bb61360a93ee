-- Inserts one message, as an application does.
insert into outbox (id, msg_key, topic, data)
values (?, ?, 'order.created', ?)
