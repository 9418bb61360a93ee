-- The running job with the same task. Served by outbox_job_once.
select *, done as all_done
  from outbox_job
 where state = 'running'
   and first is null
   and action = :action
   and coalesce(subscription, '') = coalesce(:subscription::text, '')
   and pg_catalog.md5(details::text) = pg_catalog.md5((:details::jsonb)::text)
