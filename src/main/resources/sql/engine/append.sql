-- Appends a message to the outbox from a route, as an application does in its own transaction. On a connection of an application, the name of
-- the schema stands before that of the table, and no other name is looked up on its search_path.
insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes)
values (
    :message_id, :aggregate_type, :aggregate_id, :type, :headers::pg_catalog.jsonb, :payload::pg_catalog.json,
    :payload_bytes::pg_catalog.bytea)
