-- Releases an intake, so that another relay can claim it at once. Used by IntakeStore at a stop. Served by outbox_intake_pkey.
update outbox_intake
   set relay = null,
       lease_until = null,
       batch = case when not :is_marked::boolean then batch end
 where intake = :intake
   and epoch = :epoch
