-- Starts a bulk retry. The end of the time is frozen, so that messages that fail again are not retried again.
-- Parameters: subscription, types, key (type, id), error, group, since, until, first, rate, matched, who, via, reason.
insert into outbox_bulk_retry (subscription, types, aggregate_type, aggregate_id, error, error_group, since, until, first, rate, matched, who, via, reason)
values (?, ?, ?, ?, ?, ?, ?, least(?::timestamptz, clock_timestamp()), ?, ?, ?, ?, ?, ?)
returning *
