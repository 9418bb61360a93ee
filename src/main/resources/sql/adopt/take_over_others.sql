-- Other subscriptions that deliver messages of these types at once. The types of a subscription are known once a relay has worked it.
-- Served by outbox_subscription_pkey. Parameters: types as LIKE patterns, name of the subscription that is left out.
select distinct subscription.name
  from outbox_subscription subscription
 cross join pg_catalog.unnest(subscription.types) selected
 cross join pg_catalog.unnest(?::text[]) type
 where subscription.name <> ?
   and not subscription.paused
   and (type like selected or selected like type)
 order by subscription.name
