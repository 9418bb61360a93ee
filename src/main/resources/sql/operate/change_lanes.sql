-- Changes the number of lanes of a subscription. The transaction has locked its lanes, and no relay holds one. All new lanes start
-- at the highest position. The gaps of each contain what is not finished up to there: a visible message that the old lane of its key
-- has not finished, in the new lane of its key; and an id that is not visible and that an old lane has not settled, in every lane,
-- because its key is unknown. The file of the sequence is that of the highest position. The delivered counts of removed lanes are added to the first lane. The new epoch is higher than that of
-- any old lane, so that previous owners are fenced. Permits of a rate that were not used are dropped.
-- Served by outbox_subscription_pkey and outbox_pkey.
with given as (
    select :name::text as name,
           :lanes::integer as lanes
),
former as (
    select subscription.*
      from given
      join outbox_subscription subscription using (name)
),
highest as (
    select max(position) as position,
           max(epoch) + 1 as epoch,
           bool_or(paused) as paused,
           min(halted_at) as halted_at,
           min(halted_reason) as halted_reason,
           (select sequence_file from former order by position desc, lane limit 1) as sequence_file,
           (select stored_in from former order by position desc, lane limit 1) as stored_in,
           (select types from former where types is not null order by lane limit 1) as types
      from former
),
undone as (
    select former.lane,
           former.lanes,
           pg_catalog.unnest(former.gaps operator(pg_catalog.+) coalesce(former.older_gaps, '{}') operator(pg_catalog.+) int8multirange(int8range(former.position + 1, highest.position + 1))) as ids
      from former
     cross join highest
),
visible as materialized (
    select found.id,
           outbox_lane(found.aggregate_type, found.aggregate_id, undone.lanes) = undone.lane as is_its_lane,
           outbox_lane(found.aggregate_type, found.aggregate_id, given.lanes) as new_lane
      from given
     cross join undone
     cross join lateral (select id, aggregate_type, aggregate_id
                           from outbox
                          where id >= pg_catalog.lower(undone.ids)
                            and id < pg_catalog.upper(undone.ids)
                          order by id) found
),
missing as (
    select coalesce((select pg_catalog.range_agg(ids) from undone), '{}')
               operator(pg_catalog.-) coalesce((select pg_catalog.range_agg(int8range(id, id + 1)) from visible), '{}') as ids
),
following as (
    select lane,
           missing.ids
               operator(pg_catalog.+) coalesce((select pg_catalog.range_agg(int8range(id, id + 1))
                             from visible
                            where is_its_lane
                              and new_lane = lane), '{}') as gaps
      from given
     cross join missing
     cross join generate_series(0, given.lanes - 1) as lane
),
kept as (
    update outbox_subscription subscription
       set lanes = given.lanes,
           position = highest.position,
           gaps = following.gaps,
           older_gaps = null,
           sequence_file = highest.sequence_file,
           stored_in = highest.stored_in,
           owner = null,
           lease_until = null,
           presence = null,
           presence_server = null,
           delivered = subscription.delivered + case when subscription.lane = 0
                                        then (select coalesce(sum(former.delivered), 0)::bigint from former where former.lane >= given.lanes)
                                        else 0 end,
           in_flight = null,
           latency_millis = null,
           destination_unavailable_since = null,
           destination_error = null,
           next_probe_at = null,
           rate_limit = null,
           attempts_per_second = null,
           waits_for_rate = null,
           follows_tail = null,
           permits_since = clock_timestamp(),
           epoch = highest.epoch,
           barrier = null,
           barrier_until = null,
           saved_at = clock_timestamp()
      from given
     cross join highest
     cross join following
     where subscription.name = given.name
       and subscription.lane = following.lane
    returning subscription.lane
),
removed as (
    delete from outbox_subscription subscription
     using given
     where subscription.name = given.name
       and subscription.lane >= given.lanes
)
insert into outbox_subscription (name, lane, lanes, position, gaps, sequence_file, stored_in, epoch, paused, halted_at,
                                 halted_reason, types, permits_since)
select given.name, following.lane, given.lanes, highest.position, following.gaps, highest.sequence_file, highest.stored_in, highest.epoch, highest.paused,
       highest.halted_at, highest.halted_reason, highest.types, clock_timestamp()
  from given
 cross join highest
 cross join following
 where following.lane not in (select lane from kept)
