-- The largest values of each subscription in each step of time, so that a short peak stays visible. The number of deliveries only
-- grows, so its largest value is the last one. Served by outbox_history_pkey.
select date_bin(make_interval(secs => :step), at, timestamptz '2000-01-01 00:00:00Z') as step,
       subscription,
       max(delivered) as delivered,
       max(lag_seconds) as lag_seconds,
       max(backlog) as backlog,
       max(latency_millis) as latency_millis
  from outbox_history
 where at >= :from::timestamptz
 group by step, subscription
 order by step, subscription
