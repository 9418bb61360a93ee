-- Pauses an intake, unless it is paused. Served by outbox_intake_pkey.
update outbox_intake
   set paused = true
 where intake = :name
   and not paused
