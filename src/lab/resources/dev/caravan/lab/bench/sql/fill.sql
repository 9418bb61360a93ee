-- Inserts messages first to last in one transaction, keys at random but always the same, each with a payload of about so many bytes that compression
-- cannot shrink. Of poison_every messages one is poison; of held_every messages one has the key "held", and the very first is
-- of the type that is refused at first.
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
