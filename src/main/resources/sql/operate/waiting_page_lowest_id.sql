-- One page of the messages in outbox_retry, the lowest id first, and which of them match: of one key, or blocked ones. The page
-- is cut before the other filters apply, so that a filter with few matches cannot make the statement slow. Served by
-- outbox_retry_key if a key is given, else by outbox_retry_pkey: the server plans each run with its parameters.
-- Parameters: subscription, after id, key (type, then type and id three times), subscription, rows of a page; blocked, type patterns, error text, failing since.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_retry
         where subscription = ?
           and id > ?::bigint
           and (?::text is null
                or (aggregate_type = ?
                    and aggregate_id = ?
                    and key_hash = outbox_key_hash(?, ?)
                    and lane = outbox_lane(?, ?, (select lanes from outbox_subscription where name = ? and lane = 0))))
         order by id
         limit ?) page
\ir matching_waiting.sql
 order by page.id
