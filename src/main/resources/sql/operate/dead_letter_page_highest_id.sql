-- One page of the dead letters of a subscription, the highest id first, and which of them match. Otherwise like dead_letter_page_lowest_id.
-- Served by outbox_dead_letter_pkey.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_dead_letter
         where subscription = :subscription
           and id < :id::bigint
         order by id desc
         limit :rows) page
\ir matching_dead_letter.sql
 order by page.id desc
