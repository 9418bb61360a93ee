-- Lets relays read the lanes of a subscription up to an id, leave them there and take none that has come so far. Ends by itself
-- unless it is set again. Served by outbox_subscription_pkey; the update is HOT. Parameters: id, time in ms, name.
update outbox_subscription
   set barrier = ?,
       barrier_until = clock_timestamp() + ? * interval '1 millisecond'
 where name = ?
