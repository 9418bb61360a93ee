-- The messages after the position and those found among the missing ids, from one snapshot, in order of id.
select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at
from (
    select found.*
    from unnest(?::int8multirange) as gap (ids)
    cross join lateral (
        select *
        from outbox
        where id >= lower(gap.ids) and id < upper(gap.ids)
        order by id
        limit ?
    ) as found
    union all
    (
        select *
        from outbox
        where id > ?
        order by id
        limit ?
    )
) as visible
order by id
limit ?
