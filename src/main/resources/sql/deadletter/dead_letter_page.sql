-- One page of the dead letters of a subscription, newest first, and which of them match. The page is cut before the filters
-- apply, so that a filter with few matches cannot make the statement slow. Served by outbox_dead_letter_time.
-- Parameters: subscription, older than (time, id), not before, rows of a page; type patterns, error text, group of errors.
select page.id as page_id,
       page.last_failed_at as page_time,
       matching.*
  from (select *
          from outbox_dead_letter
         where subscription = ?
           and (last_failed_at, id) < (?::timestamptz, ?::bigint)
           and last_failed_at >= ?::timestamptz
         order by last_failed_at desc, id desc
         limit ?) page
  left join lateral (select page.subscription,
                            page.id,
                            page.message_id,
                            page.aggregate_type,
                            page.aggregate_id,
                            page.type,
                            page.attempts,
                            page.first_failed_at,
                            page.last_failed_at,
                            page.error_class,
                            left(page.error_text, 300) as error_text,
                            left(page.answer, 300) as answer,
                            page.step,
                            page.edited,
                            page.error_group
                      from (values (?::text[], ?::text, ?::bigint)) filter (types, error, error_group)
                      where (filter.error_group is null or page.error_group = filter.error_group)
                        and page.type like any (filter.types)
                        and (filter.error is null
                             or strpos(lower(page.error_class), lower(filter.error)) > 0
                             or strpos(lower(page.error_text), lower(filter.error)) > 0
                             or strpos(lower(page.answer), lower(filter.error)) > 0)) matching on true
 order by page.last_failed_at desc, page.id desc
