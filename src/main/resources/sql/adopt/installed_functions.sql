-- The functions of captures in the schema of the session, with their tables. Reads the catalog. replaced: the table for which a capture was
-- installed, as the comment of its function names it, if a table of this name has none of its triggers. stranger: its owner, if it is neither this role nor a member of the owner of
-- the outbox, such as a superuser. Names that no file can have are left out: a person pastes commands with the name. callers: other roles that may attach it to a table of their own.
select substr(function.proname::text, length('outbox_capture_') + 1) as name,
       function.prosrc as body,
       function.prosecdef as definer,
       'search_path=pg_catalog, pg_temp' = any (function.proconfig) and 'standard_conforming_strings=on' = any (function.proconfig) as safe,
       has_table_privilege(function.proowner, 'outbox', 'INSERT') as inserts,
       (select string_agg(quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end), ', ')
          from aclexplode(coalesce(function.proacl, acldefault('f'::"char", function.proowner))) acl
         where acl.grantee <> function.proowner
           and case when acl.grantee = 0::oid then true else not pg_has_role(acl.grantee, function.proowner, 'MEMBER') end) as callers,
       (select quote_ident(role.rolname::text)
          from pg_roles role
          join pg_class outbox on outbox.oid = 'outbox'::regclass::oid
         where role.oid = function.proowner
           and role.rolname <> current_user
           and not pg_has_role(role.oid, outbox.relowner, 'MEMBER')) as stranger,
       coalesce((select string_agg(distinct pg_catalog.format('%I.%I', namespace.nspname, class.relname), ', ')
          from pg_trigger
          join pg_class class on class.oid = tgrelid
          join pg_namespace namespace on namespace.oid = class.relnamespace
         where tgfoid = function.oid and tgparentid = 0::oid), '') as tables,
       (select pg_catalog.format('%I.%I', namespace.nspname, class.relname)
          from pg_class class
          join pg_namespace namespace on namespace.oid = class.relnamespace
         where class.relkind in ('r', 'p')
           and pg_catalog.format('%I.%I', namespace.nspname, class.relname)
               = substring(obj_description(function.oid, 'pg_proc'::name) from '^Capture [^ ]+ of (.+): writes its changes into the outbox')
           and not exists (select from pg_trigger where tgfoid = function.oid and tgrelid = class.oid)) as replaced
  from pg_proc function
 where function.pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
   and function.proname::text ~ '^outbox_capture_[a-z0-9_]+$'
   and function.prorettype = 'trigger'::regtype::oid
   and (function.proname::text = 'outbox_capture_' || :name::text or :name::text is null)
 order by function.proname
