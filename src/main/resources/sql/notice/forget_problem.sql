-- Deletes a problem that is over. Served by outbox_notice_pkey.
delete from outbox_notice
 where problem = ?
   and subscription = ?
