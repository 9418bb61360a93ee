-- The number of pending messages, counted up to a bound. Served by a partial index on what is pending.
select /* caravan doctor */ count(*) as pending
  from (select from {table} where ({pending}
       ) limit 10000) counted
