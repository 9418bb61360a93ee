-- The next running jobs after an id. Not all of them: whoever may insert jobs can insert any number. Served by outbox_job_running.
select id from outbox_job where state = 'running' and id > :after order by id limit :rows
