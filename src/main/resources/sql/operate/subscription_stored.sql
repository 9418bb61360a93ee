-- Whether something of a subscription is stored although it no longer exists, or it is that of an intake. The order makes the server use an index: the primary keys
-- and outbox_audit_subscription.
select 1
 where (select intake from outbox_intake where 'intake:' || intake = :name limit 1) is not null
    or (select id from outbox_dead_letter where subscription = :name order by id limit 1) is not null
    or (select id from outbox_discarded where subscription = :name order by id limit 1) is not null
    or (select id from outbox_retry where subscription = :name order by id limit 1) is not null
    or (select id from outbox_audit where subscription = :name order by id limit 1) is not null
