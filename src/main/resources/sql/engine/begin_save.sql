-- Settings of a save that writes more than progress. Postgres ends such a transaction if it is idle for longer than the lease: a relay
-- whose machine or network failed in the middle of it would lock its subscription until the connection times out, which
-- takes hours, and no other relay could claim the lane. The commit waits for the disk whatever the setting of the database: the progress
-- moves past these messages, so they must survive a crash. Each statement is planned with its parameters, as in RetryStore.
select set_config('idle_in_transaction_session_timeout', :idle_timeout, true),
       set_config('synchronous_commit',
                  case current_setting('synchronous_commit') when 'off' then 'local' else current_setting('synchronous_commit') end,
                  true),
       set_config('plan_cache_mode', 'force_custom_plan', true)
