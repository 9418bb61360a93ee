-- Saves the progress of a backfill, in the transaction of its messages.
update outbox_backfill
   set pass = :pass, after_key = :after_key, messages = messages + :messages, saved_at = clock_timestamp(), finished_at = case when :finished then clock_timestamp() end
 where capture = :capture
