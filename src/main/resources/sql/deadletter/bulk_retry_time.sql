-- The time of the database: the end of the selection of a bulk retry, taken before the dead letters are counted. Reads no table.
select clock_timestamp()
