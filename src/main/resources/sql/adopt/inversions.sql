-- Compares the order of the ids with the order of a time, in the latest rows: rows with an older time than the row before, and with
-- the same time. Served by an index on the id.
select /* caravan doctor */ count(*) as examined,
       count(*) filter (where at < previous) as older,
       count(*) filter (where at = previous) as same
  from (select at, pg_catalog.lag(at) over (order by id) as previous
          from (select {id} as id, {time} as at from {table} order by {id} desc limit {latest}) latest) compared
