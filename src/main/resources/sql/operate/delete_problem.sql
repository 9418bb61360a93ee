-- Deletes a problem that has ended. Served by outbox_notice_pkey.
delete from outbox_notice
 where problem = :problem
   and subscription = :subscription
