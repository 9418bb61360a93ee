-- Creates the lanes of a subscription that starts after a position, without gaps: :first_open is above it. An existing subscription keeps its
-- lanes and progress. Starts after no id that the sequence has not assigned: it would halt.
with before as (
    select least(:position, coalesce((select id from outbox where id > 0 and id <= (
\ir last_id.sql
           ) order by id desc limit 1), 0)) as id
)
\ir new_lanes.sql
