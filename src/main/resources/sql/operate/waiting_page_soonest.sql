-- One page of the messages of a subscription that have a time for their next attempt, the earliest first, and which of them match. The
-- page is cut before the filters apply, so that a filter with few matches cannot make the statement slow. Blocked messages,
-- which may be very many, are not read. Served by outbox_retry_due, for each of the 64 possible lanes.
select page.id as page_id,
       page.next_attempt_at as page_time,
       matching.*
  from (select of_lane.*
          from generate_series(0, 63) given (lane)
         cross join lateral (select *
                               from outbox_retry
                              where subscription = :subscription
                                and outbox_retry.lane = given.lane
                                and not blocked
                                and next_attempt_at >= :time::timestamptz
                                and (next_attempt_at, id) > (:time::timestamptz, :id::bigint)
                              order by next_attempt_at, id
                              limit :rows) of_lane
         order by of_lane.next_attempt_at, of_lane.id
         limit :rows) page
\ir matching_waiting.sql
 order by page.next_attempt_at, page.id
