-- Deletes the progress of the backfill of a removed capture: it does not apply to a later capture of the same name.
delete from outbox_backfill where capture = :capture
