-- The id of the newest entry of the audit, 0 if there is none. Served by outbox_audit_pkey.
select coalesce(max(id), 0::bigint) from outbox_audit
