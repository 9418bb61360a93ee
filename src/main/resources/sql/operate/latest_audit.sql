-- Changes by people, newest first. Served by outbox_audit_pkey. Parameters: before id, rows.
select *
  from outbox_audit
 where id < ?
 order by id desc
 limit ?
