-- One page of the messages in outbox_retry, the highest id first, and which of them match: of one key, or blocked ones. Otherwise like
-- waiting_page_lowest_id. Served by outbox_retry_key if a key is given, else by outbox_retry_pkey.
-- Parameters: subscription, before id, key (type, then type and id three times), subscription, rows of a page; blocked, type patterns, error text, failing since.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_retry
         where subscription = ?
           and id < ?::bigint
           and (?::text is null
                or (aggregate_type = ?
                    and aggregate_id = ?
                    and key_hash = outbox_key_hash(?, ?)
                    and lane = outbox_lane(?, ?, (select lanes from outbox_subscription where name = ? and lane = 0))))
         order by id desc
         limit ?) page
\ir matching_waiting.sql
 order by page.id desc
