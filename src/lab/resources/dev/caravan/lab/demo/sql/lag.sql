-- Lag and backlog of each subscription, for the status. Backlog: ids not delivered yet, including other types; for several lanes, that
-- of the lane with the largest. Reads the newest id, and per lane the first row of each gap and of what follows the position (primary key).
select name,
       max(backlog) as backlog,
       max(lag_seconds) as lag_seconds
from (
    select s.name,
           greatest(newest.id - s.position, 0)
             + (select coalesce(sum(upper(g) - lower(g)), 0) from unnest(s.gaps + coalesce(s.older_gaps, '{}')) as g) as backlog,
           coalesce(extract(epoch from clock_timestamp()
             - case when oldest.created_at <= clock_timestamp() then greatest(oldest.created_at, to_timestamp(0)) end), 0) as lag_seconds
    from outbox_subscription s,
         lateral (select least(
             (select min(o.created_at)
              from unnest(s.gaps + coalesce(s.older_gaps, '{}')) as g,
                   lateral (select created_at from outbox where id >= lower(g) and id < upper(g) order by id limit 1) as o),
             (select created_at from outbox where id > s.position order by id limit 1)) as created_at) as oldest,
         (select coalesce(max(id), 0) as id from outbox) as newest
) as lane
group by name
order by name
