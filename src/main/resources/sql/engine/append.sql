-- Appends a message to the outbox from a route, as an application does in its own transaction.
insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes)
values (:message_id, :aggregate_type, :aggregate_id, :type, :headers::jsonb, :payload::json, :payload_bytes::bytea)
