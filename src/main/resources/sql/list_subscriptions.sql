-- Progress of every subscription and lane with backlog and lag, without counting rows: the primary key of the outbox serves
-- its end, the first row after each position, and the first row of each gap.
-- backlog is an upper bound: rolled-back ids and ids of messages that are not for this subscription count too.
select subscription.name,
       subscription.lane,
       subscription.position,
       gaps.ids as gaps,
       greatest(newest.id - subscription.position, 0) + gaps.ids as backlog,
       coalesce(greatest(extract(epoch from clock_timestamp() - least(following.created_at, gaps.created_at)), 0), 0) as lag_seconds,
       subscription.owner,
       subscription.epoch,
       subscription.lease_until,
       extract(epoch from subscription.lease_until - clock_timestamp()) as lease_seconds,
       subscription.paused
  from outbox_subscription subscription
 cross join (select coalesce(max(id), 0) as id from outbox) newest
  left join lateral (select outbox.created_at
                       from outbox
                      where outbox.id > subscription.position
                      order by outbox.id
                      limit 1) following on true
 cross join lateral (select coalesce(sum(upper(gap) - lower(gap)), 0) as ids,
                            min(first.created_at) as created_at
                       from unnest(subscription.gaps) gap
                       left join lateral (select outbox.created_at
                                            from outbox
                                           where outbox.id >= lower(gap) and outbox.id < upper(gap)
                                           order by outbox.id
                                           limit 1) first on true) gaps
 order by subscription.name, subscription.lane
