-- A message with headers and payload: from the outbox or, when its partition was pruned, from outbox_retry, outbox_dead_letter or
-- outbox_discarded, with the subscription in which it was found there; of a content larger than a limit only the size. Served by outbox_pkey and by the primary keys of the other three.
select found.place,
       found.subscription,
       found.id,
       found.message_id,
       found.aggregate_type,
       found.aggregate_id,
       found.type,
       case when large.size is null then found.headers end as headers,
       case when large.size is null then found.payload end as payload,
       case when large.size is null then found.payload_bytes end as payload_bytes,
       large.size as left_out,
       found.created_at,
       found.edited
  from (select :mostBytes::bigint as most) as shown
 cross join lateral (
select found.*
  from (select 1 as place, null as subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, false as edited
          from outbox
         where id = :id
        union all
        (select 2, copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, edited
                                from outbox_retry
                               where outbox_retry.subscription = subscription.name
                                 and outbox_retry.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select 3, copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, edited
                                from outbox_dead_letter
                               where outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select 4, copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, edited
                                from outbox_discarded
                               where outbox_discarded.subscription = subscription.name
                                 and outbox_discarded.id = :id
                               limit 1) copy
          limit 1)) found
 order by found.place
 limit 1) found
 cross join lateral (select outbox_too_large(found.headers, found.payload, found.payload_bytes, shown.most) as size
                      offset 0) large
