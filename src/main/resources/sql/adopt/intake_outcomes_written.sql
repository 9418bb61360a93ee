-- Deletes rows whose outcome is final and stores which failure of a dead letter was written back, after the source has committed. Used by Outcomes.
-- A repeat after a crash is harmless. Served by outbox_intake_row_pkey.
with deleted as (
    delete from outbox_intake_row
     where intake = :intake
       and id = any (:final::bigint[])
)
update outbox_intake_row
   set dead_at = dead.failed_at::timestamptz
  from unnest(:dead::bigint[], :failed_at::text[]) as dead (id, failed_at)
 where outbox_intake_row.intake = :intake
   and outbox_intake_row.id = any (:dead::bigint[])
   and outbox_intake_row.id = dead.id
