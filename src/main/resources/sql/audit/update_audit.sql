-- Adds to the audit row of a replay how far it is, in the transaction of each chunk. Served by outbox_audit_pkey.
update outbox_audit
   set detail = detail || ?::jsonb
 where id = ?
