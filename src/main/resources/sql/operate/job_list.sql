-- Jobs or bulk retries, the latest first. The done of a job that has started bulk retries includes theirs. Served by outbox_job_pkey.
select job.*,
       job.done + coalesce((select sum(part.done) from outbox_job part where part.id = any (job.started)), 0)::bigint as all_done
  from outbox_job job
 where (first is not null) = :observed::boolean
 order by id desc
 limit :rows
