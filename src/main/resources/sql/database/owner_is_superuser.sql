-- Whether the owner of the outbox is a superuser; no row if there is no outbox. Reads the catalog.
select role.rolsuper
  from pg_class class
  join pg_roles role on role.oid = class.relowner
 where class.oid = to_regclass('outbox')::oid
