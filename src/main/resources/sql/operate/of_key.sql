-- For each subscription, and each intake with a waiting row or a dead letter of it, one message of a key: the first one that is not delivered, or else its first dead letter, or else the newest
-- one among the newest rows of the outbox. No index covers the keys of the outbox, so a bounded number of its rows is examined: after
-- the lowest id that is not delivered, and from the end. Served by outbox_pkey, outbox_retry_key and outbox_dead_letter_key.
with key (aggregate_type, aggregate_id, rows) as (
    values (:keyType::text, :keyId::text, :examined::integer)
),
newest as materialized (
    select part.id
      from key
     cross join lateral (select id, aggregate_type, aggregate_id from outbox order by id desc limit :examined) part
     where part.aggregate_type = key.aggregate_type
       and part.aggregate_id = key.aggregate_id
     limit 1
)
select subscription.name,
       coalesce(least(waiting.id, unread.id), dead.id, (select id from newest)) as id,
       unread.examined >= key.rows as more
  from key
 cross join (select name, lane, lanes, types, position, gaps, older_gaps, false as is_intake
               from outbox_subscription
              union all
             select 'intake:' || intake, 0, 1, null, 9223372036854775806, '{}', null, true
               from outbox_intake) subscription
  left join lateral (select id
                       from outbox_retry
                      where outbox_retry.subscription = subscription.name
                        and outbox_retry.lane = subscription.lane
                        and key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                        and outbox_retry.aggregate_type = key.aggregate_type
                        and outbox_retry.aggregate_id = key.aggregate_id
                      order by id
                      limit 1) waiting on true
  left join lateral (select min(id) as id
                       from (select id
                               from outbox_dead_letter
                              where outbox_dead_letter.subscription = subscription.name
                                and outbox_dead_letter.lane = subscription.lane
                                and outbox_key_hash(aggregate_type, aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                                and outbox_dead_letter.aggregate_type = key.aggregate_type
                                and outbox_dead_letter.aggregate_id = key.aggregate_id
                              limit 1000) part) dead on true
 cross join lateral (select count(*) as examined,
                            min(part.id) filter (where part.aggregate_type = key.aggregate_type
                                                   and part.aggregate_id = key.aggregate_id
                                                   and part.type like any (coalesce(subscription.types, '{%}'))
                                                   and (part.id > subscription.position
                                                        or subscription.gaps operator(pg_catalog.@>) part.id
                                                        or coalesce(subscription.older_gaps operator(pg_catalog.@>) part.id, false))) as id
                       from (select id, type, aggregate_type, aggregate_id
                               from outbox
                              where id >= least(subscription.position + 1, pg_catalog.lower(subscription.gaps), pg_catalog.lower(subscription.older_gaps))
                              order by id
                              limit :examined) part) unread
 where subscription.lane = outbox_lane(key.aggregate_type, key.aggregate_id, subscription.lanes)
   and (not subscription.is_intake or coalesce(waiting.id, dead.id) is not null)
 order by subscription.name
