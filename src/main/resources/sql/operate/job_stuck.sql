-- Stores why a running job makes no progress; the next step replaces it. Served by outbox_job_pkey.
update outbox_job
   set waits_for = pg_catalog.left(:waitsFor, 2000)
 where id = :id
   and state = 'running'
