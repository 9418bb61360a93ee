-- The relation that a name means on the search_path, as in any statement; null if there is none.
select to_regclass(:name::text)::oid::bigint as oid
