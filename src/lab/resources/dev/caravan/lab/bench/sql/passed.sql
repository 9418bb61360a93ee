-- Whether so many subscriptions have passed everything and saved that; what failed may still wait in outbox_retry.
select count(*) = ?
from outbox_subscription
where position >= (select coalesce(max(id), 0) from outbox)
  and isempty(gaps)
  and older_gaps is null
