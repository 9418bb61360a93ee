-- Other subscriptions that deliver messages of these types at once. The types of a subscription are known once a relay has worked it.
-- Served by outbox_subscription_pkey.
select distinct subscription.name
  from outbox_subscription subscription
 cross join pg_catalog.unnest(subscription.types) selected
 cross join pg_catalog.unnest(:types::text[]) type
 where subscription.name <> :subscription
   and not subscription.paused
   and (type like selected or selected like type)
 order by subscription.name
