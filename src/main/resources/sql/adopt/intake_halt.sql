-- Lets an intake wait for a person, and releases it. Used by IntakeStore. Served by outbox_intake_pkey.
update outbox_intake
   set halted = true,
       failing_since = coalesce(failing_since, clock_timestamp()),
       error = left(:error, 2000),
       relay = null,
       lease_until = null
 where intake = :intake
   and epoch = :epoch
