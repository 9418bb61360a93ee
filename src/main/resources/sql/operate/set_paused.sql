-- Pauses or resumes all lanes of a subscription; returns the lanes that changed. Served by outbox_subscription_pkey.
update outbox_subscription
   set paused = :paused
 where name = :name
   and paused is distinct from :paused
returning lane
