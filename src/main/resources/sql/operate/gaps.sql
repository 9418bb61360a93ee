-- The gaps of a subscription: for each lane the missing ids, which no message has, as ranges, and the number of messages that are read but
-- not delivered. A limited number of ranges and of their messages is examined, the lowest first; more says that there are others. Served by
-- outbox_subscription_pkey and outbox_pkey.
with given (subscription, ranges, messages, shown) as (
    values (:subscription::text, :ranges::integer, :messages::integer, :shown::integer)
),
gap as materialized (
    select lane, ids, place
      from (select subscription.lane, ids, row_number() over (order by pg_catalog.lower(ids)) as place
              from given
              join outbox_subscription subscription on subscription.name = given.subscription
             cross join pg_catalog.unnest(subscription.gaps operator(pg_catalog.+) coalesce(subscription.older_gaps, '{}')) ids) numbered
     cross join given
     where place <= given.ranges + 1
),
examined as (
    select gap.lane, gap.ids
      from gap
     cross join given
     where place <= given.ranges
),
visible as materialized (
    select part.lane, part.id
      from given
     cross join lateral (select examined.lane, message.id
                           from examined
                          cross join lateral (select id
                                                from outbox
                                               where id >= pg_catalog.lower(examined.ids)
                                                 and id < pg_catalog.upper(examined.ids)) message
                          limit given.messages + 1) part
),
lane as (
    select examined.lane,
           pg_catalog.range_agg(examined.ids)
               operator(pg_catalog.-) coalesce((select pg_catalog.range_agg(int8range(visible.id, visible.id + 1)) from visible where visible.lane = examined.lane), '{}')
               as missing
      from examined
     group by examined.lane
)
select (select count(*) from visible) as not_delivered,
       (select coalesce(sum(pg_catalog.upper(ids) - pg_catalog.lower(ids)), 0)::bigint from lane cross join pg_catalog.unnest(lane.missing) ids) as missing,
       (select count(*) from gap) <= given.ranges and (select count(*) from visible) <= given.messages as is_complete,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('lane', part.lane, 'from', pg_catalog.lower(part.ids), 'to', pg_catalog.upper(part.ids) - 1, 'missing', true)
                                 order by pg_catalog.lower(part.ids)), '[]')
          from (select lane.lane, ids
                  from lane
                 cross join pg_catalog.unnest(lane.missing) ids
                 order by pg_catalog.lower(ids)
                 limit (select shown from given)) part) as ranges
  from given
