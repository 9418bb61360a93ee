-- Changes by people, newest first. Served by outbox_audit_pkey.
select *
  from outbox_audit
 where id < :before
 order by id desc
 limit :limit
