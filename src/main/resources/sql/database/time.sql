-- The time of the database, for what is compared with times in its tables. Reads no table.
select clock_timestamp()
