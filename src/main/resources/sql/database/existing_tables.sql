-- The schema of the session, and which tables in it show whether they belong to Caravan. One row; reads the catalog.
-- stranger: the owner of outbox_schema_history, if it is neither this role nor a superuser nor a member of the owner of the outbox.
select current_schema() as schema,
       to_regclass(quote_ident(current_schema()::text) || '.outbox') is not null as outbox,
       to_regclass(quote_ident(current_schema()::text) || '.outbox') is not null
           and to_regclass(quote_ident(current_schema()::text) || '.outbox_subscription') is null as "foreign",
       to_regclass(quote_ident(current_schema()::text) || '.outbox_schema_history') is not null as migrated,
       (select quote_ident(role.rolname::text)
          from pg_class class
          join pg_roles role on role.oid = class.relowner
          left join pg_class outbox on outbox.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox')::oid
         where class.oid = to_regclass(quote_ident(current_schema()::text) || '.outbox_schema_history')::oid
           and not role.rolsuper
           and role.rolname <> current_user
           and (outbox.oid is null or not pg_has_role(role.oid, outbox.relowner, 'MEMBER'))) as stranger
