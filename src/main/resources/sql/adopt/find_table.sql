-- The relation that a name means on the search_path, as in any statement; null if there is none. Parameter: the name.
select to_regclass(?::text)::oid::bigint as oid
