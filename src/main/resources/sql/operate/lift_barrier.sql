-- Removes the barrier of set_barrier. Served by outbox_subscription_pkey. Parameter: name.
update outbox_subscription
   set barrier = null,
       barrier_until = null
 where name = ?
   and barrier is not null
