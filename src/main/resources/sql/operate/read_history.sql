-- The largest values of each subscription in each step of time, so that a short peak stays visible, with the time of the last row of the
-- step. The number of deliveries only grows, so its largest value is the last one. Of one subscription if one is named. Served by
-- outbox_history_pkey.
select max(max(at)) over (partition by step) as at,
       subscription,
       max(delivered) as delivered,
       max(lag_seconds) as lag_seconds,
       max(backlog) as backlog,
       max(latency_millis) as latency_millis
  from (select *, date_bin(make_interval(secs => :step), at, timestamptz '2000-01-01 00:00:00Z') as step
          from outbox_history
         where at >= :from::timestamptz
           and at < :to::timestamptz
           and (:subscription::text is null or subscription = :subscription::text)) as stored
 group by step, subscription
 order by 1, 2
