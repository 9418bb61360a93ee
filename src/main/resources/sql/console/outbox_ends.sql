-- The lowest and the highest id that is visible in the outbox, null when it is empty. Reads the ends of the primary key of each partition.
select (select id from outbox order by id limit 1) as lowest,
       (select id from outbox order by id desc limit 1) as highest
