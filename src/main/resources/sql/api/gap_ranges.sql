-- The first ids of a subscription that are not delivered, as ranges, and whether a message of each is visible: if not, the ids are
-- missing. Served by outbox_subscription_pkey and outbox_pkey. Parameters: subscription, rows.
select part.lane,
       part.first,
       part.last,
       not exists (select from outbox where outbox.id >= part.first and outbox.id <= part.last) as missing
  from (select subscription.lane, lower(gap) as first, upper(gap) - 1 as last
          from outbox_subscription subscription
         cross join unnest(subscription.gaps + coalesce(subscription.older_gaps, '{}')) gap
         where subscription.name = ?
         order by subscription.lane, lower(gap)
         limit ?) part
 order by part.lane, part.first
