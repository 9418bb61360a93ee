-- What subscriptions have delivered since a time each, counted from the first stored period of five minutes after it, and whether they can
-- deliver now. One row for each name, also for an unknown one. Served by outbox_subscription_pkey and outbox_history_pkey, which is read from that
-- time on until a row of the subscription is found: each period has one. Parameters: names, times.
select asked.name,
       greatest(subscription.delivered - history.delivered, 0) as delivered,
       history.at,
       coalesce(subscription.owned, false) as owned,
       subscription.unavailable_since
  from unnest(?::text[], ?::timestamptz[]) asked (name, since)
 cross join lateral (select sum(delivered)::bigint as delivered,
                            bool_or(owner is not null and lease_until > clock_timestamp()) as owned,
                            min(destination_unavailable_since) as unavailable_since
                       from outbox_subscription
                      where name = asked.name) subscription
  left join lateral (select at, delivered
                       from outbox_history
                      where at >= asked.since
                        and subscription = asked.name
                      order by at
                      limit 1) history on true
 order by asked.name
