-- Creates a subscription that starts with what is committed from now on. Its gaps are the ids that are not visible among
-- the latest 10000: open transactions may still fill them. An existing subscription keeps its progress.
-- The other lanes follow the first, as in subscribe.
-- Parameters: name, lanes; lanes.
with first as (
    insert into outbox_subscription (name, lane, lanes, position, gaps)
    select ?,
           0,
           ?,
           latest.id,
           int8multirange(int8range(greatest(latest.id - 10000, 0) + 1, latest.id + 1))
               - coalesce((select range_agg(int8range(id, id + 1)) from outbox where id > latest.id - 10000 and id <= latest.id), '{}')
    from (select coalesce((select id from outbox order by id desc limit 1), 0) as id) as latest
    on conflict do nothing
    returning name, lanes, position, gaps
)
insert into outbox_subscription (name, lane, lanes, position, gaps)
select first.name, lane, first.lanes, first.position, first.gaps
from first
cross join generate_series(1, ? - 1) as lane
