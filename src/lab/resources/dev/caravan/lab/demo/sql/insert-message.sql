-- Inserts one message, as an application does.
insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload)
values (?, 'booking', ?, ?, '{"source": "booking-app"}', ?::json)
