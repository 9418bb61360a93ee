-- Replaces history.sql where a role or a service may not read that: each start of the server counts as another history. Such
-- histories have no order, so all are on timeline 0; null on a standby. Asked once per connection.
select 'started at ' || extract(epoch from pg_postmaster_start_time()),
       case when not pg_is_in_recovery() then 0 end
