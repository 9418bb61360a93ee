-- Replaces history.sql if the role or the database service may not call its functions: each start of the server counts as another history.
-- Such histories have no order, so all are on timeline 0; null on a standby. Queried once per connection.
select 'started at ' || extract(epoch from pg_postmaster_start_time())::text,
       case when not pg_is_in_recovery() then 0 end
