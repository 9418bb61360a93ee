-- Ends the lease of this instance, so that another instance can take it at once. Served by outbox_lease_pkey.
update outbox_lease
   set until = clock_timestamp()
 where name = :name
   and instance = :instance
