-- Creates a subscription that starts with the first message written at or after a time, or with messages committed from now
-- on if there is none. One statement: a message that commits between two would be skipped. Its gaps are the ids before the
-- start that are not visible, from a given one on, as in subscribe_latest. An existing subscription keeps its progress. Walks
-- outbox_pkey from the start, as no index contains the time.
-- The other lanes depend on the first, as in subscribe.
-- Parameters: the first id that may still be filled; name, lanes, time; lanes.
with given as (
    select greatest(?::bigint, 1) as from_id
),
first as (
    insert into outbox_subscription (name, lane, lanes, position, gaps)
    select ?,
           0,
           ?,
           before.id,
           coalesce((select range_agg(int8range(visible.previous + 1, visible.id))
                       from (select id, lag(id, 1, given.from_id - 1) over (order by id) as previous
                               from (select id
                                       from outbox
                                      where id >= given.from_id and id <= before.id
                                     union all
                                     select before.id + 1) as ends) as visible
                      where visible.id > visible.previous + 1), '{}')
    from given
    cross join (
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
