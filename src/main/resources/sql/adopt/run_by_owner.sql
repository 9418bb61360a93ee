-- The captures in the schema of the session whose function runs with the rights of its owner, with their tables. mark: the privilege with
-- which it marks rows of a take-over; null if it marks none. callers: other roles that may attach it to a table of their own. Reads the catalog.
select distinct substr(function.proname::text, length('outbox_capture_') + 1) as capture,
       class.oid::bigint as table_oid,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as "table",
       quote_ident(pg_get_userbyid(function.proowner)::text) as owner,
       case when function.prosrc ~ 'when ''mark'' then\s+delete ' then 'DELETE'
            when function.prosrc like '%when ''mark'' then%' then 'UPDATE' end as mark,
       (select string_agg(quote_ident(case when acl.grantee = 0::oid then 'public' else pg_get_userbyid(acl.grantee)::text end), ', ')
          from aclexplode(coalesce(function.proacl, acldefault('f'::"char", function.proowner))) acl
         where acl.grantee <> function.proowner
           and case when acl.grantee = 0::oid then true else not pg_has_role(acl.grantee, function.proowner, 'MEMBER') end) as callers
  from pg_proc function
  join pg_trigger on tgfoid = function.oid and tgparentid = 0::oid
  join pg_class class on class.oid = tgrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where function.pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
   and function.proname::text ~ '^outbox_capture_[a-z0-9_]+$'
   and function.prosecdef
 order by capture, "table"
