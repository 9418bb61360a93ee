-- The first and the last message in a range of ids; no row if there is none. The bounds are parameters of a custom plan, so Postgres plans
-- and locks only the partition that has these ids: with bounds from a table it would plan all partitions, which takes seconds for hundreds of
-- them. The range is not read from the partition by its name, which the role may not be allowed to read. Served by outbox_pkey.
select oldest.id as lowest,
       oldest.created_at as oldest,
       newest.id as highest,
       newest.created_at as newest
  from (select id, created_at
          from outbox
         where id >= :lower and id < :upper
         order by id
         limit 1) oldest
 cross join (select id, created_at
               from outbox
              where id >= :lower and id < :upper
              order by id desc
              limit 1) newest
