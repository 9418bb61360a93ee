-- The running jobs. Served by outbox_job_running.
select id from outbox_job where state = 'running' order by id
