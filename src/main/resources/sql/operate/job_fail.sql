-- Ends a running job that cannot continue. Served by outbox_job_pkey.
update outbox_job
   set state = case when first is null then 'failed' else 'stopped' end,
       waits_for = null,
       error = pg_catalog.left(:error, 2000),
       ended_at = clock_timestamp()
 where id = :id
   and state = 'running'
