-- The role that owns the tables, and that of the relay. As a member of the owner the relay creates and prunes partitions.
create role caravan_owner login;
create role caravan_relay login in role caravan_owner, pg_read_all_stats;
grant create on schema public to caravan_owner;
