-- Updates the progress in the audit row of a replay, in the transaction of each chunk. Served by outbox_audit_pkey.
update outbox_audit
   set detail = detail || :detail::jsonb
 where id = :id
