-- One step of a walk over the keys that have messages in outbox_retry: unblocks the first message of each key if nothing blocks it any
-- more. This is needed only if something other than a save unblocked it: an older version of Caravan, another onDead, a manual statement.
-- If the clock was set back, the last failure of a first message may be in the future: its wait and its age then start again. Examines a
-- limited number of keys per step, so that its cost does not depend on the number of waiting messages. Steps from key to key in
-- outbox_retry_key. Returns the hash of the first key of the next step; no row at the end.
-- :first is the hash of the first key, :keys the number of keys to examine.
with recursive key as (
    (
        select key_hash, id, blocked, 1 as place
        from outbox_retry
        where subscription = :subscription
          and lane = :lane
          and key_hash >= :first
        order by key_hash, id
        limit 1
    )
    union all
    select following.key_hash, following.id, following.blocked, key.place + 1
    from key
    cross join lateral (
        select key_hash, id, blocked
        from outbox_retry
        where subscription = :subscription
          and lane = :lane
          and key_hash > key.key_hash
        order by key_hash, id
        limit 1
    ) as following
    where key.place <= :keys
),
unblocked as (
    update outbox_retry
    set blocked = false,
        next_attempt_at = clock_timestamp()
    where subscription = :subscription
      and id = any (array(
          select key.id
          from key
          where key.blocked
            and key.place <= :keys
            and not (:dead_letters_block::boolean
                     and (select true
                          from outbox_dead_letter as dead
                          where dead.subscription = :subscription
                            and dead.lane = :lane
                            and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = key.key_hash
                            and dead.id < key.id
                          limit 1) is not null)))
),
shortened as (
    update outbox_retry
    set next_attempt_at = clock_timestamp() + (next_attempt_at - last_failed_at),
        first_failed_at = least(first_failed_at, clock_timestamp()),
        last_failed_at = clock_timestamp()
    where subscription = :subscription
      and id = any (array(
          select key.id
          from key
          where not key.blocked
            and key.place <= :keys))
      and not blocked
      and last_failed_at > clock_timestamp()
)
select key_hash
from key
where place > :keys
