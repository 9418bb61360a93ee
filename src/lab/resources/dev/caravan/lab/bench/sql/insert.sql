-- Inserts one message, as an application does.
insert into outbox (aggregate_type, aggregate_id, type, payload)
values ('order', ?, ?, ('{"orderId":' || ?::int || ',"text":"' || repeat('x', ?) || '"}')::json)
