-- Saves the progress of a backfill, in the transaction of its messages. Parameters: pass, key, messages of the chunk, finished, capture.
update outbox_backfill
   set pass = ?, after_key = ?, messages = messages + ?, saved_at = clock_timestamp(), finished_at = case when ? then clock_timestamp() end
 where capture = ?
