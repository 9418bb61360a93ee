-- Whether this many subscriptions have passed all messages and saved it. Failed messages may still wait in outbox_retry.
select count(*) = :subscriptions
from outbox_subscription
where position >= (select coalesce(max(id), 0) from outbox)
  and isempty(gaps)
  and older_gaps is null
