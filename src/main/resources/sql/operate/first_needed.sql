-- The lowest id that a subscription may not have delivered; 0 without a subscription. One row. Reads outbox_subscription once.
select coalesce(min(least(position + 1, pg_catalog.lower(gaps), pg_catalog.lower(older_gaps))), 0)
  from outbox_subscription
