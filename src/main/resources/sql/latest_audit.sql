-- What people changed, newest first. Served by outbox_audit_pkey.
select *
  from outbox_audit
 order by id desc
 limit ?
