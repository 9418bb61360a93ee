-- Twins of the operators and functions of Postgres with other types of arguments, in the current schema. Postgres prefers an exact match in any
-- schema of the search_path to a match in pg_catalog that needs a conversion: each statement whose types are not exact finds a twin.
-- NAMES: the names of the functions, separated by commas.
do $twins$
declare
    names text[] := string_to_array('NAMES', ',');
    types text[] := array['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar', 'name', '"char"', 'timestamptz', 'interval',
        'json', 'jsonb', 'uuid', 'bytea', 'oid', 'regclass', 'xid', 'pg_lsn', 'int8range', 'int8multirange', 'text[]', 'int8[]', 'int2[]'];
    few text[] := array['bool', 'int4', 'int8', 'float8', 'numeric', 'text', 'varchar', 'name', 'timestamptz', 'jsonb', 'oid', 'regclass',
        'int8multirange', 'text[]'];
    named record;
    result text;
    signature text[];
    position int;
    chosen text;
begin
    foreach result in array array['bool', 'int8', 'float8', 'text', 'interval', 'timestamptz', 'jsonb', 'text[]', 'int8multirange'] loop
        for named in select l.t as left_type, r.t as right_type from unnest(types) l (t) cross join unnest(types) r (t) loop
            execute format('create function twin_of_%s(%s, %s) returns %s language plpgsql as ''begin raise exception $$hostile$$; end''',
                replace(result, '[]', '_array'), named.left_type, named.right_type, result);
        end loop;
    end loop;
    for named in
        select o.name, o.result, l.t as left_type, r.t as right_type
        from (values ('=', 'bool'), ('<>', 'bool'), ('<', 'bool'), ('>', 'bool'), ('<=', 'bool'), ('>=', 'bool'), ('~~', 'bool'), ('!~~', 'bool'),
                     ('~', 'bool'), ('!~', 'bool'), ('&&', 'bool'), ('@>', 'bool'), ('<@', 'bool'), ('+', null), ('-', null), ('*', null), ('/', null),
                     ('%', 'int8'), ('&', 'int8'), ('||', null), ('->', 'jsonb'), ('->>', 'text'), ('?', 'bool')) as o (name, result)
        cross join unnest(types) l (t)
        cross join unnest(types) r (t)
        where not exists (select from pg_operator
                          where oprnamespace = 'pg_catalog'::regnamespace and oprname = o.name
                            and oprleft = l.t::regtype and oprright = r.t::regtype)
    loop
        result := coalesce(named.result,
            case when 'interval' in (named.left_type, named.right_type) and 'timestamptz' in (named.left_type, named.right_type) then 'timestamptz'
                 when 'interval' in (named.left_type, named.right_type) then 'interval'
                 when 'int8multirange' in (named.left_type, named.right_type) then 'int8multirange'
                 when 'text[]' in (named.left_type, named.right_type) then 'text[]'
                 when 'jsonb' in (named.left_type, named.right_type) then 'jsonb'
                 when named.name = '||' then 'text'
                 when 'float8' in (named.left_type, named.right_type) then 'float8'
                 else 'int8' end);
        execute format('create operator %s (leftarg = %s, rightarg = %s, function = twin_of_%s)',
            named.name, named.left_type, named.right_type, replace(result, '[]', '_array'));
    end loop;
    for named in
        select distinct proname as name, proargtypes::regtype[]::text[] as arguments, pronargs, provariadic, prorettype::regtype::text as returns,
               proretset, prokind, proargtypes::oid[] as oids
        from pg_proc
        where pronamespace in ('pg_catalog'::regnamespace, current_schema()::regnamespace) and proname = any (names) and pronargs > 0 and prokind <> 'w'
    loop
        for position in 1 .. named.pronargs loop
            foreach chosen in array case when named.pronargs = 1 then types else few end loop
                signature := array(select case when n = position then chosen
                                               when kind.typtype = 'p' and named.arguments[n] like '%array%' then chosen || '[]'
                                               when kind.typtype = 'p' then chosen
                                               else given end
                                   from unnest(named.arguments, named.oids) with ordinality as argument (given, oid, n)
                                   join pg_type kind on kind.oid = argument.oid
                                   order by n);
                begin
                    execute format('create function %I(%s) returns %s %s language plpgsql as ''begin raise exception $$hostile$$; end''',
                        named.name, array_to_string(signature, ', '), case when named.proretset then 'setof' else '' end,
                        case when named.returns like 'any%' or named.returns = 'record' then 'text' else named.returns end);
                exception when others then
                    null; -- exists, or has no such type
                end;
            end loop;
        end loop;
    end loop;
end
$twins$;
