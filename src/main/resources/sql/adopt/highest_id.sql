-- The highest id of the table. Served by an index on the id.
select /* caravan doctor */ max({id})::bigint as highest
  from {table}
