-- Dead letters with payload and headers. Served by outbox_dead_letter_pkey.
select *
  from outbox_dead_letter
 where subscription = ?
   and id = any (?::bigint[])
 order by id
