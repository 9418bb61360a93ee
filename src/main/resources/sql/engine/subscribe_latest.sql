-- Creates a subscription that starts with messages committed from now on. An existing subscription keeps its progress.
-- :first_open is the first id that may still be filled. Starts after no id that the sequence has not assigned: it would halt.
with before as (
    select coalesce((select id from outbox where id > 0 and id <= (
\ir last_id.sql
           ) order by id desc limit 1), 0) as id
)
\ir new_lanes.sql
