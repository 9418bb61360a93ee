-- The last id that was drawn; 0 before the first one.
select last_value - (not is_called)::int from outbox_id_seq
