-- The dead letters of some subscriptions grouped by error, the largest groups first, and the number of each group in each of twelve periods.
-- Steps from group to group in outbox_dead_letter_group and counts each period of a group separately, so that each entry of the index is read
-- once and nothing is compared or sorted: a third of the time of dead_letter_many_groups.sql, as long as there are few groups. Rows that were
-- just written must be looked up in the table, so that reading them twice is expensive.
-- Returns at least one row, with the number of groups that were counted; a row without messages is not a result.
-- Stops after a limit of groups, or of rows (of one group up to thirteen times as many). The text of a group is that of its last dead letter.
with recursive asked (subscriptions, since, until, start, length, rows, groups) as (
    values (:subscriptions::text[], :since::timestamptz, :until::timestamptz, :trendFrom::timestamptz, :trendSeconds::bigint::double precision * interval '1 second', :counted::bigint, :few::integer)
),
walk as (
    select -9223372036854775808 as error_group,
           '' as subscription,
           0 as groups,
           0::bigint as counted,
           0::bigint as messages,
           null::timestamptz as first_seen,
           null::timestamptz as last_seen,
           null::bigint[] as trend
    union all
    select next.error_group,
           next.subscription,
           walk.groups + 1,
           walk.counted + part.messages,
           part.messages,
           part.first_seen,
           part.last_seen,
           part.trend
      from walk
     cross join asked
     cross join lateral (select error_group, subscription
                           from outbox_dead_letter
                          where (error_group, subscription) > (walk.error_group, walk.subscription)
                          order by error_group, subscription
                          limit 1) next
     cross join lateral (select sum(counted.messages)::bigint as messages,
                                min(counted.first_seen) as first_seen,
                                max(counted.last_seen) as last_seen,
                                pg_catalog.array_agg(counted.messages order by number) filter (where number > 0) as trend
                           from generate_series(0, 12) number
                          cross join lateral (select count(*) as messages,
                                                     min(first_failed_at) as first_seen,
                                                     max(last_failed_at) as last_seen
                                                from (select first_failed_at, last_failed_at
                                                        from outbox_dead_letter
                                                       where error_group = next.error_group
                                                         and subscription = next.subscription
                                                         and next.subscription = any (asked.subscriptions)
                                                         and last_failed_at >= case when number = 0 then asked.since
                                                             else greatest(asked.since, asked.start + (number - 1)::double precision * asked.length) end
                                                         and last_failed_at < case when number = 12 then asked.until
                                                             else least(asked.until, asked.start + number::double precision * asked.length) end
                                                       limit asked.rows - walk.counted) looked_at) counted) part
     where walk.counted < asked.rows
       and walk.groups < asked.groups
)
select largest.subscription,
       largest.error_group,
       largest.messages,
       largest.counted,
       largest.groups,
       largest.first_seen,
       largest.last_seen,
       example.error_class,
       left(example.error_text, 300) as error,
       largest.trend
  from (select subscription,
               error_group,
               messages,
               max(counted) over () as counted,
               max(groups) over () as groups,
               first_seen,
               last_seen,
               trend
          from walk
         order by messages desc, last_seen desc
         limit :largest) largest
  left join lateral (select error_class, error_text
                       from outbox_dead_letter
                      where outbox_dead_letter.subscription = largest.subscription
                        and outbox_dead_letter.error_group = largest.error_group
                      order by last_failed_at desc
                      limit 1) example on true
 order by largest.messages desc, largest.last_seen desc
