-- What an application does to publish a message.
insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload)
values (?, 'booking', ?, ?, '{"source": "booking-app"}', ?::json)
