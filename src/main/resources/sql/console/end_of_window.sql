-- The last message of a window of find_messages; no row if the window reaches the end of the outbox. Served by outbox_pkey.
select id
  from outbox
 where id <= :highest
   and id >= 0
 order by id desc
offset :window - 1
 limit 1
