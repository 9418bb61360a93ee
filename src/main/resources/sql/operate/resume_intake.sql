-- Resumes an intake that is paused or halted; lock_intake has locked it. Served by outbox_intake_pkey.
update outbox_intake
   set paused = false,
       failing_since = case when not halted then failing_since end,
       error = case when not halted then error end,
       halted = false
 where intake = :name
   and (paused or halted)
