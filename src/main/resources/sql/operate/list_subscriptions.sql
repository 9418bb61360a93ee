-- Progress, backlog and lag of every subscription and of each of its lanes, without counting messages of the outbox: its primary
-- key serves its end, the first row after each position, and the first row of each gap. One row per lane. All other columns are
-- those of the subscription, over all its lanes. Its position is that of the lane furthest behind, and its gaps are those of all
-- lanes up to that position.
-- backlog is an upper bound: it includes rolled-back ids and ids of messages that the subscription does not select. Messages with ids above the
-- last one of the sequence, which somebody has chosen, are counted, at most a thousand.
-- An application may write any time, even infinity: one before 1970 counts as 1970. A message with a later time than now does not count; the
-- next one does, which was written later. After a position at most a thousand such messages are passed.
-- The oldest message of the gaps is the one with the lowest id. Gaps of one id, of which up to a thousand may be empty, are looked
-- up together: one by one they would cost more than the rest of the statement.
-- Waiting messages and dead letters are counted up to a bound plus one, by outbox_retry_due and an index of outbox_dead_letter.
-- Blocked messages are counted among the first ones in order of lane and key, by outbox_retry_key. The longest failing message is
-- searched among those with the latest attempts, because pauses grow. For all of this only indexes are read.
-- The first message of a key is blocked only by a dead letter, which is looked up by outbox_dead_letter_key, for at most 1,001 keys.
-- The oldest dead letter is found by outbox_dead_letter_time.
-- No message below the lowest id that a subscription needs is looked for: this id is a parameter of a custom plan, so Postgres plans and locks
-- only the partitions that have later ones.
with lane as (
    select subscription.name,
           subscription.lane,
           subscription.lanes,
           subscription.position,
           subscription.gaps operator(pg_catalog.+) coalesce(subscription.older_gaps, '{}') as gaps,
           open.ids as gap_ids,
           subscription.owner,
           subscription.epoch,
           subscription.lease_until,
           subscription.presence is not null as presence,
           subscription.paused,
           subscription.halted_at,
           subscription.halted_reason,
           subscription.delivered,
           subscription.in_flight,
           subscription.latency_millis,
           subscription.destination_unavailable_since,
           subscription.destination_error,
           subscription.next_probe_at,
           subscription.rate_limit,
           subscription.attempts_per_second,
           subscription.waits_for_rate,
           subscription.follows_tail,
           coalesce(subscription.barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds', false) as changing,
           least(following.created_at,
                 (select outbox.created_at
                    from outbox
                   where outbox.id = any (open.single)
                     and outbox.id >= open.lowest
                     and outbox.id <= open.highest
                     and outbox.id >= :firstNeeded
                     and outbox.created_at <= clock_timestamp()
                   order by outbox.id
                   limit 1),
                 (select first.created_at
                    from pg_catalog.unnest(open.ranges) gap
                   cross join lateral (select outbox.created_at
                                         from outbox
                                        where outbox.id >= pg_catalog.lower(gap) and outbox.id < pg_catalog.upper(gap)
                                          and outbox.id >= :firstNeeded
                                          and outbox.created_at <= clock_timestamp()
                                        order by outbox.id
                                        limit 1) first
                   order by pg_catalog.lower(gap)
                   limit 1)) as oldest
      from outbox_subscription subscription
      left join lateral (select part.created_at
                           from (select id, created_at
                                   from outbox
                                  where outbox.id > subscription.position
                                    and outbox.id >= :firstNeeded
                                  order by id
                                  limit 1000) part
                          where part.created_at <= clock_timestamp()
                          order by part.id
                          limit 1) following on true
     cross join lateral (select coalesce(sum(last - first + 1), 0)::bigint as ids,
                                pg_catalog.array_agg(first) filter (where first = last) as single,
                                min(first) as lowest,
                                max(first) as highest,
                                pg_catalog.array_agg(int8range(first, last + 1)) filter (where first < last) as ranges
                           from (select pg_catalog.lower(gap) as first, pg_catalog.upper(gap) - 1 as last
                                   from pg_catalog.unnest(subscription.gaps operator(pg_catalog.+) coalesce(subscription.older_gaps, '{}')) gap) gap) open
),
subscription as (
    select name,
           count(*) as lanes,
           min(gap_ids) as gap_ids,
           min(position) as position,
           min(oldest) as oldest,
           bool_or(paused) as paused,
           min(halted_at) as halted_at,
           min(halted_reason) as halted_reason,
           bool_or(changing) as changing
      from lane
     group by name
)
select subscription.name,
       subscription.position,
       gaps.ids as gaps,
       greatest(newest.id - subscription.position, 0) + ahead.messages + gaps.ids as backlog,
       coalesce(extract(epoch from clock_timestamp()
                                   - case when subscription.oldest is not null
                                          then greatest(subscription.oldest, to_timestamp(0::double precision)) end), 0) as lag_seconds,
       subscription.paused,
       subscription.halted_at,
       subscription.halted_reason,
       subscription.changing,
       waiting.messages as waiting,
       first.messages as looked_at,
       first.blocked,
       first.blocked_keys,
       blocking.looked_at as keys_looked_at,
       blocking.keys as dead_keys,
       coalesce(greatest(extract(epoch from clock_timestamp() - least(waiting.failing_since, blocking.failing_since)), 0), 0) as failing_seconds,
       dead.messages as dead_letters,
       coalesce(greatest(extract(epoch from clock_timestamp() - oldest_dead.failed_at), 0), 0) as dead_seconds,
       lane.lane,
       lane.position as lane_position,
       lane.gap_ids as lane_gaps,
       lane.owner,
       lane.epoch,
       lane.lease_until,
       lane.presence,
       extract(epoch from lane.lease_until - clock_timestamp()) as lease_seconds,
       lane.delivered,
       lane.in_flight,
       lane.latency_millis,
       lane.destination_unavailable_since,
       extract(epoch from clock_timestamp() - lane.destination_unavailable_since) as unavailable_seconds,
       lane.destination_error,
       lane.next_probe_at,
       extract(epoch from lane.next_probe_at - clock_timestamp()) as probe_seconds,
       lane.rate_limit,
       lane.attempts_per_second,
       lane.waits_for_rate,
       lane.follows_tail
  from subscription
 cross join (select last_value - (not is_called)::int as last_id from outbox_id_seq) assigned
 cross join lateral (select coalesce(max(id), 0) as id from outbox where id >= :firstNeeded and id <= assigned.last_id) newest
 cross join lateral (select count(*) as messages
                       from (select from outbox where id >= :firstNeeded and id > assigned.last_id order by id limit 1000) part) ahead
 cross join lateral (select case when subscription.lanes = 1 then subscription.gap_ids
                                 else (select coalesce(sum(pg_catalog.upper(gap) - pg_catalog.lower(gap)), 0)::bigint
                                         from (select pg_catalog.unnest(pg_catalog.range_agg(ids) operator(pg_catalog.*) int8multirange(int8range(0::bigint, subscription.position + 1))) as gap
                                                 from outbox_subscription of_lane -- by its key: lane has the lanes of all subscriptions
                                                cross join pg_catalog.unnest(of_lane.gaps operator(pg_catalog.+) coalesce(of_lane.older_gaps, '{}')) ids
                                                where of_lane.name = subscription.name) part) end as ids
                      offset 0) gaps -- once, and not for each use
 cross join lateral (select count(*) as messages, min(part.first_failed_at) as failing_since
                       from (select first_failed_at
                               from outbox_retry
                              where outbox_retry.subscription = subscription.name
                                and not blocked
                              order by lane desc, next_attempt_at desc
                              limit :rows) part) waiting
 cross join lateral (select coalesce(sum(key.messages), 0) as messages,
                            coalesce(sum(key.blocked), 0) as blocked,
                            count(*) filter (where key.blocked > 0) as blocked_keys,
                            pg_catalog.array_agg(key.lane) filter (where key.first_is_blocked) as dead_lanes,
                            pg_catalog.array_agg(key.key_hash) filter (where key.first_is_blocked) as dead_hashes,
                            pg_catalog.array_agg(key.first) filter (where key.first_is_blocked) as dead_firsts
                       from (select part.lane,
                                    part.key_hash,
                                    min(part.id) as first,
                                    min(part.id) is distinct from min(part.id) filter (where not part.blocked) as first_is_blocked,
                                    count(*) as messages,
                                    count(*) filter (where part.blocked) as blocked
                               from (select lane, key_hash, id, blocked
                                       from outbox_retry
                                      where outbox_retry.subscription = subscription.name
                                      order by lane, key_hash, id
                                      limit :rows) part
                              group by part.lane, part.key_hash) key) first
 cross join lateral (select count(*) as looked_at, pg_catalog.count(letter.failing_since) as keys, min(letter.failing_since) as failing_since
                       from (select *
                               from unnest(first.dead_lanes, first.dead_hashes, first.dead_firsts) as named (lane, key_hash, first)
                              limit 1001) key
                      cross join lateral (select min(part.first_failed_at) as failing_since
                                            from (select first_failed_at
                                                    from outbox_dead_letter
                                                   where outbox_dead_letter.subscription = subscription.name
                                                     and outbox_dead_letter.lane = key.lane
                                                     and outbox_key_hash(aggregate_type, aggregate_id) = key.key_hash
                                                     and outbox_dead_letter.id < key.first
                                                   limit 10) part) letter) blocking
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_dead_letter
                              where outbox_dead_letter.subscription = subscription.name
                              limit :rows) part) dead
  left join lateral (select last_failed_at as failed_at
                       from outbox_dead_letter
                      where outbox_dead_letter.subscription = subscription.name
                      order by last_failed_at
                      limit 1) oldest_dead on true
  join lane on lane.name = subscription.name
 order by subscription.name, lane.lane
