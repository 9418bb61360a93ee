-- Stores why an intake does not work. Used by IntakeStore. Does not renew the lease: another relay that reaches the source may take over when it
-- ends. Served by outbox_intake_pkey.
update outbox_intake
   set failing_since = coalesce(failing_since, clock_timestamp()),
       error = left(:error, 2000)
 where intake = :intake
   and epoch = :epoch
