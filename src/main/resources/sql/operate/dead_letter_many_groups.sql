-- The same as dead_letter_groups.sql, for dead letters that have hundreds of different errors.
-- Reads only outbox_dead_letter_group, in its order and a limited part of it: sorting by the twelve periods
-- as well would cost three times as much as counting them for the groups that are shown. The text of a group is that of
-- its last dead letter.
select largest.subscription,
       largest.error_group,
       largest.messages,
       largest.counted,
       largest.first_seen,
       largest.last_seen,
       example.error_class,
       left(example.error_text, 300) as error,
       trend.messages as trend
  from (select counted.subscription,
               counted.error_group,
               count(*) as messages,
               sum(count(*)) over () as counted,
               min(counted.first_failed_at) as first_seen,
               max(counted.last_failed_at) as last_seen
          from (select subscription, error_group, first_failed_at, last_failed_at
                  from outbox_dead_letter
                 where subscription = any (:subscriptions::text[])
                   and last_failed_at >= :since::timestamptz
                   and last_failed_at < :until::timestamptz
                 order by error_group, subscription, outbox_dead_letter.last_failed_at
                 limit :counted) counted
         group by counted.error_group, counted.subscription
         order by messages desc, last_seen desc
         limit :largest) largest
 cross join lateral (select error_class, error_text
                       from outbox_dead_letter
                      where outbox_dead_letter.subscription = largest.subscription
                        and outbox_dead_letter.error_group = largest.error_group
                      order by last_failed_at desc
                      limit 1) example
 cross join (values (:trendFrom::timestamptz, :trendSeconds::bigint::double precision * interval '1 second')) times (start, length)
 cross join lateral (select pg_catalog.array_agg(part.messages order by part.number) as messages
                       from (select number,
                                    (select count(*)
                                       from outbox_dead_letter
                                      where outbox_dead_letter.subscription = largest.subscription
                                        and outbox_dead_letter.error_group = largest.error_group
                                        and last_failed_at >= times.start + number::double precision * times.length
                                        and last_failed_at < times.start + (number + 1)::double precision * times.length) as messages
                               from generate_series(0, 11) number) part) trend
 order by largest.messages desc, largest.last_seen desc
