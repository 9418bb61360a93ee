-- One page of the dead letters of a subscription, newest first, and which of them match. The page is limited before the filters
-- apply, so that a filter with few matches cannot make the statement slow. Served by outbox_dead_letter_time.
select page.id as page_id,
       page.last_failed_at as page_time,
       matching.*
  from (select *
          from outbox_dead_letter
         where subscription = :subscription
           and (last_failed_at, id) < (:time::timestamptz, :id::bigint)
           and last_failed_at >= :bound::timestamptz
         order by last_failed_at desc, id desc
         limit :rows) page
\ir matching_dead_letter.sql
 order by page.last_failed_at desc, page.id desc
