-- Whether something of a subscription is stored although it no longer exists. Served by the primary keys and outbox_audit_subscription.
select 1
 where exists (select from outbox_dead_letter where subscription = :name)
    or exists (select from outbox_discarded where subscription = :name)
    or exists (select from outbox_retry where subscription = :name)
    or exists (select from outbox_audit where subscription = :name)
