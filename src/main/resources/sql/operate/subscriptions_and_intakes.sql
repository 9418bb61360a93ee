-- The names of the subscriptions, and those that the rejected rows of intakes have. Few rows; no index needed.
select distinct name from outbox_subscription
union all
select 'intake:' || intake from outbox_intake
 order by name
