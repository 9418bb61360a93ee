-- Halts all lanes of a subscription until a person resumes it, if the position of one lane is higher than the last assigned id, or ids up
-- to it were assigned in another file of the sequence: messages that get the same ids again would be skipped. The id and the file come
-- from the statement that found the error, because the sequence may have passed the position meanwhile. Locks in order of lanes, as
-- all statements do. Served by outbox_subscription_pkey.
with lanes as (
    select lane, position, sequence_file, stored_in = tableoid as is_stored_here
    from outbox_subscription
    where name = :subscription
    order by lane
    for update
),
broken as (
    select lane, position, position > :last_id as is_ahead
    from lanes
    where position > :last_id
       or position > 0 and is_stored_here and sequence_file <> :file::bigint::oid
    order by position desc, lane
    limit 1
)
update outbox_subscription as subscription
set halted_at = clock_timestamp(),
    halted_reason = case when broken.is_ahead
                         then pg_catalog.format('position %s of lane %s was ahead of the sequence outbox_id_seq, which had assigned ids up to %s',
                                     broken.position, broken.lane, :last_id::bigint)
                         else pg_catalog.format('the sequence outbox_id_seq was restarted or altered (TRUNCATE … RESTART IDENTITY, ALTER SEQUENCE) after lane %s'
                                         || ' had read ids up to %s, which may have been assigned again',
                                     broken.lane, broken.position) end
from broken
where subscription.name = :subscription
  and subscription.halted_at is null
