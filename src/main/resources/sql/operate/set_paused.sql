-- Pauses or resumes all lanes of a subscription; returns the lanes that changed. Served by outbox_subscription_pkey.
-- Parameters: paused, name, paused.
update outbox_subscription
   set paused = ?
 where name = ?
   and paused is distinct from ?
returning lane
