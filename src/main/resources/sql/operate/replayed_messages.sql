-- The beginning of replay and count_replay: the messages of one page of the outbox (candidate) that a replay takes (chosen).
with candidate as (
    select id, message_id, aggregate_type, aggregate_id, type, created_at
      from outbox
     where id > :after::bigint
       and id <= :upTo::bigint
     order by id
     limit :examined
),
subscription as materialized ( -- looked up once, not for each message: its row may have many dead versions
    select name, lane, lanes, position, gaps operator(pg_catalog.+) coalesce(older_gaps, '{}') as gaps
      from outbox_subscription
     where name = :subscription
),
chosen as (
    select candidate.*, subscription.lane
      from subscription
      join candidate on subscription.lane = outbox_lane(candidate.aggregate_type, candidate.aggregate_id, subscription.lanes)
     where candidate.id <= subscription.position
       and not subscription.gaps operator(pg_catalog.@>) candidate.id
       and candidate.type like any (:selected::text[])
       and candidate.type like any (:types::text[])
       and (:keyType::text is null or (candidate.aggregate_type = :keyType and candidate.aggregate_id = :keyId))
       and candidate.created_at >= :since::timestamptz
       and candidate.created_at < :until::timestamptz
       and (select true
              from outbox_retry waiting
             where waiting.subscription = subscription.name
               and waiting.id = candidate.id
             limit 1) is null
       and (select true
              from outbox_dead_letter dead
             where dead.subscription = subscription.name
               and dead.id = candidate.id
             limit 1) is null
       and (select true
              from outbox_discarded discarded
             where discarded.subscription = subscription.name
               and discarded.id = candidate.id
               and discarded.message_id = candidate.message_id -- not of an outbox before it was truncated or restored
             limit 1) is null
     order by candidate.id
     limit :wanted
)
