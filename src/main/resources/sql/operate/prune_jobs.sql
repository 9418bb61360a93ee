-- Deletes jobs that ended longer ago than a number of seconds. Few rows; served by outbox_job_pkey.
delete from outbox_job
 where id > 0
   and ended_at < clock_timestamp() - :seconds::bigint::double precision * interval '1 second'
