-- Inserts messages 1 to N with random ids and keys, the same in each run. Each payload has approximately the given number of bytes.
insert into outbox (id, msg_key, topic, data)
select insert(insert(insert(insert(md5(seq), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'),
       concat('order-', crc32(seq) mod ?),
       'order.created',
       concat('{"number":', seq, ',"text":"', repeat('x', ?), '"}')
from seq_1_to_1000000000
where seq <= ?
order by seq
