-- For each subscription and a time: the number of messages delivered since the time, counted from the first stored period of five minutes after it;
-- the number of other messages that became dead (at most 1,000 are counted); the last stored period before the last delivery; and whether it can
-- deliver now. Without exact times, the time is that of the last failure of any dead letter of the subscription.
-- One row for each name, also for an unknown one. Served by outbox_subscription_pkey, outbox_dead_letter_time, and outbox_history_pkey, which is
-- read forward from the time, and backward from its end, until one matching row of the subscription is found: each period has one row of it.
select asked.name as subscription,
       greatest(subscription.delivered - history.delivered, 0) as delivered,
       history.at as "from",
       last_delivery.at as last_delivery_after,
       died.messages as died,
       coalesce(subscription.owned, false) as owned,
       subscription.unavailable_since
  from unnest(:subscriptions::text[], :since::timestamptz[]) asked (name, since)
 cross join lateral (select case when :complete::boolean then asked.since
                                 else greatest(asked.since, (select last_failed_at
                                                               from outbox_dead_letter
                                                              where subscription = asked.name
                                                              order by last_failed_at desc
                                                              limit 1)) end as since) failure
 cross join lateral (select sum(delivered)::bigint as delivered,
                            bool_or(owner is not null and lease_until > clock_timestamp()) as owned,
                            min(destination_unavailable_since) as unavailable_since
                       from outbox_subscription
                      where name = asked.name) subscription
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_dead_letter
                              where subscription = asked.name
                                and last_failed_at > failure.since
                              limit 1000) later) died
  left join lateral (select at, delivered
                       from outbox_history
                      where at >= failure.since
                        and subscription = asked.name
                      order by at
                      limit 1) history on true
  left join lateral (select at
                       from outbox_history
                      where subscription = asked.name
                        and delivered < subscription.delivered
                      order by at desc
                      limit 1) last_delivery on true
 order by asked.name
