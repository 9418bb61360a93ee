-- Progress of every subscription and lane with backlog and lag, without counting messages of the outbox: its primary key serves
-- its end, the first row after each position, and the first row of each gap.
-- backlog is an upper bound: rolled-back ids and ids of messages that are not for this subscription count too.
-- What waits or is dead is counted up to a bound and one beyond it, by outbox_retry_due and the primary keys of both tables.
-- No index tells what is blocked: it is counted among the first messages that wait, in order of id.
-- Parameters: rows to count (three times), one beyond the bound.
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
       subscription.paused,
       waiting.messages as waiting,
       first.messages as looked_at,
       first.blocked,
       first.blocked_keys,
       dead.messages as dead_letters
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
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_retry
                              where outbox_retry.subscription = subscription.name
                                and not blocked
                              limit ?) part) waiting
 cross join lateral (select count(*) as messages,
                            count(*) filter (where blocked) as blocked,
                            count(distinct (aggregate_type, aggregate_id)) filter (where blocked) as blocked_keys
                       from (select blocked, aggregate_type, aggregate_id
                               from outbox_retry
                              where outbox_retry.subscription = subscription.name
                              order by outbox_retry.id
                              limit ?) part) first
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_dead_letter
                              where outbox_dead_letter.subscription = subscription.name
                              limit ?) part) dead
 order by subscription.name, subscription.lane
