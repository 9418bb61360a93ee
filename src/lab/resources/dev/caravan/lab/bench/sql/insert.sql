-- What an application does: one message a transaction.
insert into outbox (aggregate_type, aggregate_id, type, payload)
values ('order', ?, 'order.created', ('{"orderId":' || ?::int || ',"text":"' || repeat('x', ?) || '"}')::json)
