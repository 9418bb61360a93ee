-- One page of the messages in outbox_retry, in order of id, and which of them match: of one key, or blocked ones. The page
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
  left join lateral (select page.subscription,
                            page.id,
                            page.message_id,
                            page.aggregate_type,
                            page.aggregate_id,
                            page.type,
                            page.attempts,
                            page.next_attempt_at,
                            page.first_failed_at,
                            page.last_failed_at,
                            page.error_class,
                            left(page.error_text, 300) as error_text,
                            left(page.answer, 300) as answer,
                            page.edited
                      from (values (?::boolean, ?::text[], ?::text, ?::timestamptz)) filter (blocked, types, error, failing_since)
                      where page.blocked = filter.blocked
                        and page.type like any (filter.types)
                        and (filter.error is null
                             or strpos(lower(page.error_class), lower(filter.error)) > 0
                             or strpos(lower(page.error_text), lower(filter.error)) > 0
                             or strpos(lower(page.answer), lower(filter.error)) > 0)
                        and (filter.failing_since is null or page.first_failed_at <= filter.failing_since)) matching on true
 order by page.id
