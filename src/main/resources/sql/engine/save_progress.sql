-- Saves progress and renews the lease. Changes nothing if another relay has claimed the lane (its epoch is higher), or if the position is
-- ahead of the sequence. Returns one row: the last assigned id, and what was saved.
-- Served by outbox_subscription_pkey; no indexed column changes, so the update is HOT.
-- delivered is the new sum and not an increment: a save whose answer was lost is repeated.
-- The row must contain the number of the last save, or of a later one that was not answered. A lower number means that the row was
-- restored to an earlier state, for example from a backup, so that the state of the lane may be invalid.
-- The older gaps are written only if they change: they may be large and are stored out of line (TOAST) then.
-- Also returns the last id to read while the number of lanes is being changed.
with sequence as (
    select last_value - (not is_called)::int as last_id
    from outbox_id_seq
),
saved as (
    update outbox_subscription
    set position = :position,
        gaps = :gaps::int8multirange,
        older_gaps = case when :older_gaps_change then :older_gaps::int8multirange else older_gaps end,
        delivered = :delivered,
        lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond',
        presence = :session::bigint,
        presence_server = :session_server::bigint,
        saved_at = clock_timestamp(),
        saves = :number
    where name = :subscription
      and lane = :lane
      and epoch = :epoch
      and owner is not null
      and saves between :last_save and :last_requested
      and (select last_id from sequence) >= :position
    returning paused or halted_at is not null as stopped,
              saves,
              coalesce(case when barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds' then barrier end, 9223372036854775807) as read_to
)
select sequence.last_id,
       saved.saves,
       saved.stopped,
       saved.read_to
from sequence
left join saved on true
