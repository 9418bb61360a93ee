-- Updates the progress in the audit row of a replay or a prune that has not finished. Of a replay, the job names the row, and any role that may
-- insert a job can name another one. Served by outbox_audit_pkey.
update outbox_audit
   set detail = detail || :detail::jsonb
 where id = :id
   and action = :action
   and subscription = :subscription
   and detail -> 'finished'::text = 'false'::jsonb
