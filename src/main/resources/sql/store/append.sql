-- Appends a message: what an application does in its own transaction, here from a route.
insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload)
values (?, ?, ?, ?, ?::jsonb, ?::json)
