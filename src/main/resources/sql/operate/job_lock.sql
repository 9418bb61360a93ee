-- Locks a running job for one step; no row while another process makes a step, or if it is no longer running. Also returns how many messages
-- its rate allows now: at most those of one second; and its age in seconds. Served by outbox_job_pkey.
select *,
       done as all_done,
       coalesce(least(rate, floor(extract(epoch from clock_timestamp() - paced_at) * rate::numeric)), :most)::integer as permits,
       extract(epoch from clock_timestamp() - started_at)::double precision as age
  from outbox_job
 where id = :id
   and state = 'running'
   for update skip locked
