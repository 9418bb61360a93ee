-- What a person should know about the owner of the outbox: that it is a superuser, or that this role is one and the owner is another role, which
-- any role can be that may create in the schema. No row if neither is true, or if there is no outbox. Reads the catalog.
select case when role.rolsuper
            then 'the owner of the tables is a superuser. Functions of captures, and relays that prune, have the rights of the owner: let a role'
                || ' without superuser own them (docs/install.md, Database).'
            else pg_catalog.format('the tables belong to role %1$I, and its triggers and functions can run with the rights of the superuser that'
                || ' migrates them: run ./caravan schema apply as %1$I.', role.rolname) end as advice
  from pg_class class
  join pg_roles role on role.oid = class.relowner
 where class.oid = to_regclass('outbox')::oid
   and (role.rolsuper or (select rolsuper from pg_roles where rolname = current_user))
