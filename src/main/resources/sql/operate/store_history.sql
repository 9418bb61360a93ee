-- Stores the state of all subscriptions for one period, unless another relay has, and deletes rows older than 7 days. One
-- statement, so that both cost one round trip per relay and period. Served by outbox_history_pkey.
-- Parameters: start of the period (twice), then an array for each column.
with removed as (
    delete from outbox_history where at < ?::timestamptz - interval '7 days'
)
insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, latency_millis)
select ?::timestamptz, state.*
  from unnest(?::text[], ?::bigint[], ?::float8[], ?::bigint[], ?::integer[]) state
on conflict do nothing
