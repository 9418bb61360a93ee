-- Removes the barrier of set_barrier. Served by outbox_subscription_pkey.
update outbox_subscription
   set barrier = null,
       barrier_until = null
 where name = :name
   and barrier is not null
