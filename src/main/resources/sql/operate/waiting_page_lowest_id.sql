-- One page of the messages in outbox_retry, the lowest id first, and which of them match: of one key, or blocked ones. The page
-- is cut before the other filters apply, so that a filter with few matches cannot make the statement slow. Served by
-- outbox_retry_key if a key is given, else by outbox_retry_pkey: the server plans each run with its parameters.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_retry
         where subscription = :subscription
           and id > :id::bigint
           and (:keyType::text is null
                or (aggregate_type = :keyType
                    and aggregate_id = :keyId
                    and key_hash = outbox_key_hash(:keyType, :keyId)
                    and lane = outbox_lane(:keyType, :keyId, (select lanes from outbox_subscription where name = :subscription and lane = 0))))
         order by id
         limit :rows) page
\ir matching_waiting.sql
 order by page.id
