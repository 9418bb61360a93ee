-- Sets a barrier: relays read the lanes of a subscription up to an id, release them there, and claim no lane that has reached it.
-- Ends after 10 s unless it is set again. Each statement that reads it checks this time: a barrier that ends later was set before
-- the clock was set back, and has no effect. Served by outbox_subscription_pkey; the update is HOT.
update outbox_subscription
   set barrier = :barrier,
       barrier_until = clock_timestamp() + interval '10 seconds'
 where name = :name
