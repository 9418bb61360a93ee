-- The lowest and the highest id that is visible in the outbox; 0 and -1 when it is empty. Reads the ends of the primary key of each partition.
select coalesce((select id from outbox order by id limit 1), 0) as lowest,
       coalesce((select id from outbox order by id desc limit 1), -1) as highest
