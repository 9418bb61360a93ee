-- Halts all lanes of a subscription until a person resumes it, if the position of one lane is higher than the last assigned id:
-- messages that get the ids in between would be skipped. The id comes from the statement that found the error, because the
-- sequence may have passed the position meanwhile. Locks in order of lanes, as all statements do. Served by outbox_subscription_pkey.
-- Parameters: name; last id; last id; name.
with lanes as (
    select lane, position
    from outbox_subscription
    where name = ?
    order by lane
    for update
),
ahead as (
    select lane, position
    from lanes
    where position > ?
    order by position desc, lane
    limit 1
)
update outbox_subscription as subscription
set halted_at = clock_timestamp(),
    halted_reason = pg_catalog.format('position %s of lane %s was ahead of the sequence outbox_id_seq, which had assigned ids up to %s',
                           ahead.position, ahead.lane, ?::bigint)
from ahead
where subscription.name = ?
  and subscription.halted_at is null
