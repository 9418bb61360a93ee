-- What became of a transaction whose commit was not answered: 'committed', 'aborted' or 'in progress'. One that this server
-- has not begun, after a failover that lost the newest ones, counts as aborted.
select case when ?::xid8 < pg_current_xact_id() then pg_xact_status(?::xid8) else 'aborted' end
