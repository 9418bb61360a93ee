-- The names of the subscriptions. Few rows; no index needed.
select distinct name from outbox_subscription order by name
