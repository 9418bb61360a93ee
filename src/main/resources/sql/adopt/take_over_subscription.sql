-- The subscription of a take-over: whether it is paused, what it has delivered, and which relay holds its lease. No row if there is none.
-- Served by outbox_subscription_pkey and outbox_retry_pkey.
select bool_and(paused) as paused,
       sum(delivered) as delivered,
       string_agg(distinct case when lease_until > clock_timestamp() then owner end, ', ') as holder,
       (select count(*) from outbox_retry where outbox_retry.subscription = name) as waiting,
       (select count(*) from outbox_dead_letter where outbox_dead_letter.subscription = name) as dead_letters
  from outbox_subscription
 where name = :name
 group by name
