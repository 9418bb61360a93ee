-- Rows that share their time with another one, among the latest rows by this time. Served by an index on the time.
select /* caravan doctor */ count(*) as examined,
       0 as older,
       count(*) filter (where at = previous) as same
  from (select at, pg_catalog.lag(at) over (order by at) as previous
          from (select {time} as at from {table} order by {time} desc nulls last limit {latest}) latest) compared
