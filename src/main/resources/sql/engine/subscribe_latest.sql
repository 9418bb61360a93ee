-- Creates a subscription that starts with messages committed from now on. An existing subscription keeps its progress.
-- Parameters: the first id that may still be filled; name, lanes; lanes.
with before as (
    select coalesce((select id from outbox order by id desc limit 1), 0) as id
)
\ir new_lanes.sql
