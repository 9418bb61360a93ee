-- Settings of a save that writes more than progress. Postgres ends one that stands still for longer than the lease: a relay
-- whose machine or network vanished in the middle of it would lock its subscription until the connection is given up, which
-- takes hours, and nobody could take over. And its commit waits for the disk, whatever the database does otherwise: the relay
-- passes these messages from now on, so they must not be lost in a crash.
select set_config('idle_in_transaction_session_timeout', ?, true),
       set_config('synchronous_commit',
                  case current_setting('synchronous_commit') when 'off' then 'local' else current_setting('synchronous_commit') end,
                  true)
