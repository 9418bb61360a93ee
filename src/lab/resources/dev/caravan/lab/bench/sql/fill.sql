-- Inserts messages first to last in one transaction. Keys are random but the same in each run. Each payload has approximately the
-- given number of bytes, which do not compress. One message in poison_every is poison. One in held_every has the key "held"; the
-- first of them has the type that fails until the gate opens.
with size as (
    select ?::int as keys, ?::int as bytes, nullif(?::int, 0) as poison_every, nullif(?::int, 0) as held_every
),
filler as (
    select substr(string_agg(md5(n::text), ''), 1, max(size.bytes)) as text
    from size, generate_series(0, size.bytes / 32) as n
)
insert into outbox (aggregate_type, aggregate_id, type, payload)
select 'order',
       case when i % held_every = 1 then 'held' else 'order-' || abs(hashint4(i)::bigint) % keys end,
       case
           when i = 1 and held_every is not null then 'order.held'
           when i % poison_every = poison_every / 2 then 'order.poison'
           else 'order.created'
       end,
       ('{"orderId":' || i || ',"text":"' || filler.text || '"}')::json
from size, filler, generate_series(?::int, ?::int) as i
order by i
