-- Deletes an intake that a person removes, and which row became which message; lock_intake has locked it. Served by outbox_intake_pkey
-- and outbox_intake_row_pkey.
with deleted as (
    delete from outbox_intake_row where intake = :name
)
delete from outbox_intake where intake = :name
