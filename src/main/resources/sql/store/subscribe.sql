-- Creates the lanes of a subscription that has taken everything up to a position; an existing one keeps its lanes and progress.
-- The others follow the first, so that of two relays that differ in the number of lanes only one decides.
-- Parameters: name, lanes, position; lanes.
with first as (
    insert into outbox_subscription (name, lane, lanes, position)
    select ?, 0, ?, least(?, coalesce((select id from outbox order by id desc limit 1), 0))
    on conflict do nothing
    returning name, lanes, position
)
insert into outbox_subscription (name, lane, lanes, position)
select first.name, lane, first.lanes, first.position
from first
cross join generate_series(1, ? - 1) as lane
