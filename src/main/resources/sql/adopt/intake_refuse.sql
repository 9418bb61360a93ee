-- Lets an intake with a wrong file wait for a person, unless another relay works it, which may have another file. Used by IntakeStore at the start of
-- a relay. Served by outbox_intake_pkey.
insert into outbox_intake (intake, source, failing_since, halted, error)
values (:intake, :source, clock_timestamp(), true, left(:error, 2000))
on conflict (intake) do update
   set halted = true,
       failing_since = coalesce(outbox_intake.failing_since, excluded.failing_since),
       error = excluded.error,
       relay = null,
       lease_until = null
 where outbox_intake.lease_until is null
    or outbox_intake.lease_until < clock_timestamp()
