-- One page of the dead letters of a subscription, the lowest id first, and which of them match. The page is limited before the filters apply,
-- so that a filter with few matches cannot make the statement slow. Served by outbox_dead_letter_pkey.
-- Parameters: subscription, after id, rows of a page; type patterns, error text, group of errors, since, until.
select page.id as page_id,
       null::timestamptz as page_time,
       matching.*
  from (select *
          from outbox_dead_letter
         where subscription = ?
           and id > ?::bigint
         order by id
         limit ?) page
\ir matching_dead_letter.sql
 order by page.id
