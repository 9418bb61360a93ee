-- Pauses, if requested, the subscription that this transaction has just created; returns its position, once per lane. No row: it existed,
-- or a relay has created it meanwhile. Served by outbox_subscription_pkey.
update outbox_subscription
   set paused = :paused
 where name = :name
   and xmin = pg_current_xact_id()::xid
returning position
