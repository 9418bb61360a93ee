-- The names of the subscriptions. A handful of rows; no index needed.
select distinct name from outbox_subscription order by name
