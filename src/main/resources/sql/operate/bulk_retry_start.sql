-- Starts a bulk retry. The end of the period is now at the latest, so that messages that fail again are not retried again. The rate allows
-- the messages of one second at once, so that the first ones are retried together.
-- Parameters: subscription, types, key (type, id), error, group, ids, since, until, first, rate, matched, who, via, reason.
insert into outbox_bulk_retry (subscription, types, aggregate_type, aggregate_id, error, error_group, ids, since, until, first, rate, matched, who, via, reason, paced_at)
values (?, ?, ?, ?, ?, ?, ?, ?, least(?::timestamptz, clock_timestamp()), ?, ?, ?, ?, ?, ?, clock_timestamp() - interval '1 second')
returning *
