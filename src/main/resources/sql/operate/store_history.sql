-- Stores the state of all subscriptions for one period, unless another relay has, and deletes rows older than 7 days. One
-- statement, so that both cost one round trip per relay and period. Served by outbox_history_pkey.
with removed as (
    delete from outbox_history where at < :period::timestamptz - interval '7 days'
)
insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, latency_millis, last_id)
select :period::timestamptz, state.*, (select last_value - (not is_called)::int from outbox_id_seq)
  from unnest(:names::text[], :delivered::bigint[], :lags::float8[], :backlogs::bigint[], :latencies::integer[]) state
on conflict do nothing
