-- Lets Postgres end a save that stands still for longer than the lease: a relay whose machine or network vanished in the
-- middle of it would lock its subscription until the connection is given up, which takes hours, and nobody could take over.
select set_config('idle_in_transaction_session_timeout', ?, true)
