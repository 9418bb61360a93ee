-- The roles without the trust of this role, with their quoted names. A part of the statements that look for their code. Not this role, superusers
-- (as of an extension), and members of this role or, unless this role is a superuser, of the owner of the outbox: any role that may create in the
-- schema can create an outbox. adopt/trust asks less: it is also about other roles, and none of them trusts the owner of an outbox.
-- Reads the catalog.
select owner.oid, quote_ident(owner.rolname::text) as name
  from pg_roles owner
  left join pg_class outbox on outbox.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox')::oid
 where not owner.rolsuper
   and not pg_has_role(owner.oid, current_user, 'MEMBER')
   and (outbox.oid is null
        or (select rolsuper from pg_roles where rolname = current_user)
        or not pg_has_role(owner.oid, outbox.relowner, 'MEMBER'))
