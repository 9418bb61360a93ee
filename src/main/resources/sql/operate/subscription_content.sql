-- The number of waiting messages and dead letters of a subscription. Served by outbox_retry_pkey and outbox_dead_letter_pkey.
select (select count(*) from outbox_retry where subscription = :name) as retries,
       (select count(*) from outbox_dead_letter where subscription = :name) as dead_letters
