-- Lets relays read the lanes of a subscription up to an id, leave them there and take none that has come so far. Ends after 10 s
-- unless it is set again. Each statement that looks at it knows this time: a barrier that ends later was set before the clock was
-- set back, and is over. Served by outbox_subscription_pkey; the update is HOT. Parameters: id, name.
update outbox_subscription
   set barrier = ?,
       barrier_until = clock_timestamp() + interval '10 seconds'
 where name = ?
