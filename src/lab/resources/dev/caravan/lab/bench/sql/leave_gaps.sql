-- Commits this many messages, one per transaction, each after an id that is drawn and never used, as after a rollback.
do $$
begin
    for i in 1..%d loop
        perform nextval('outbox_id_seq');
        insert into outbox (aggregate_type, aggregate_id, type, payload)
        values ('order', 'order-' || i %% %d, 'order.created', ('{"orderId":' || i || ',"text":""}')::json);
        commit;
    end loop;
end
$$
