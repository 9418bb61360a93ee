-- The history of the server: its system identifier, and its timeline as 8 hexadecimal digits in the name of the current WAL file
-- (pg_control_checkpoint still shows the previous one for a while after a promotion). The timeline is null on a standby. Queried once per
-- connection.
select system_identifier::text,
       case
           when not pg_is_in_recovery()
           then ('x' || lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0'))::bit(64)::bigint
       end
from pg_control_system()
