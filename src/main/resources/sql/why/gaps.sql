-- The gaps of a subscription: for each lane the missing ids, which no message has, as ranges, and the number of messages that are read but
-- not delivered. A limited number of ranges and of their messages is examined, the lowest first; more says that there are others. Served by
-- outbox_subscription_pkey and outbox_pkey. Parameters: subscription, ranges to examine, messages to examine, ranges to return.
with given (subscription, ranges, messages, shown) as (
    values (?::text, ?::integer, ?::integer, ?::integer)
),
gap as materialized (
    select lane, ids, place
      from (select subscription.lane, ids, row_number() over (order by lower(ids)) as place
              from given
              join outbox_subscription subscription on subscription.name = given.subscription
             cross join unnest(subscription.gaps + coalesce(subscription.older_gaps, '{}')) ids) numbered
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
                                               where id >= lower(examined.ids)
                                                 and id < upper(examined.ids)) message
                          limit given.messages + 1) part
),
lane as (
    select examined.lane,
           range_agg(examined.ids)
               - coalesce((select range_agg(int8range(visible.id, visible.id + 1)) from visible where visible.lane = examined.lane), '{}')
               as missing
      from examined
     group by examined.lane
)
select (select count(*) from visible) as not_delivered,
       (select coalesce(sum(upper(ids) - lower(ids)), 0)::bigint from lane cross join unnest(lane.missing) ids) as missing,
       (select count(*) from gap) > given.ranges or (select count(*) from visible) > given.messages as more,
       (select coalesce(json_agg(json_build_object('lane', part.lane, 'from', lower(part.ids), 'to', upper(part.ids) - 1, 'missing', true)
                                 order by lower(part.ids)), '[]')
          from (select lane.lane, ids
                  from lane
                 cross join unnest(lane.missing) ids
                 order by lower(ids)
                 limit (select shown from given)) part) as ranges
  from given
