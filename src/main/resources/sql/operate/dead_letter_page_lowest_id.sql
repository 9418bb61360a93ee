-- One page of the dead letters of a subscription, the lowest id first, and which of them match. The page is limited before the filters apply,
-- so that a filter with few matches cannot make the statement slow. Served by outbox_dead_letter_pkey.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_dead_letter
         where subscription = :subscription
           and id > :id::bigint
         order by id
         limit :rows) page
\ir matching_dead_letter.sql
 order by page.id
