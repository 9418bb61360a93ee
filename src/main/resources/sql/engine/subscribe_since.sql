-- Creates a subscription that starts with the first message written at or after a time, or with messages committed from now
-- on if there is none. One statement: a message that commits between two would be skipped. An existing subscription keeps its
-- progress. Walks outbox_pkey from the start, as no index contains the time.
-- :first_open is the first id that may still be filled. Starts after no id that the sequence has not assigned: it would halt.
with before as (
    select coalesce(
               (select id from outbox where created_at >= :since and id > 0 and id <= assigned.id order by id limit 1) - 1,
               (select id from outbox where id > 0 and id <= assigned.id order by id desc limit 1),
               0) as id
    from (
\ir last_id.sql
    ) as assigned (id)
)
\ir new_lanes.sql
