-- Creates a subscription that starts with the first message written at or after a time, or with what is committed from now
-- on if there is none. One statement: a message that commits between two would be skipped. Its gaps are the ids that are
-- not visible among the 10000 before the start: open transactions may still fill them. An existing subscription keeps its
-- progress. Walks outbox_pkey from the start, as no index holds the time.
-- The other lanes follow the first, as in subscribe.
-- Parameters: name, lanes, time; lanes.
with first as (
    insert into outbox_subscription (name, lane, lanes, position, gaps)
    select ?,
           0,
           ?,
           before.id,
           int8multirange(int8range(greatest(before.id - 10000, 0) + 1, before.id + 1))
               - coalesce((select range_agg(int8range(id, id + 1)) from outbox where id > before.id - 10000 and id <= before.id), '{}')
    from (
        select coalesce(
                   (select id from outbox where created_at >= ? order by id limit 1) - 1,
                   (select id from outbox order by id desc limit 1),
                   0) as id
    ) as before
    on conflict do nothing
    returning name, lanes, position, gaps
)
insert into outbox_subscription (name, lane, lanes, position, gaps)
select first.name, lane, first.lanes, first.position, first.gaps
from first
cross join generate_series(1, ? - 1) as lane
