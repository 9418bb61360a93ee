-- Saves the progress of several lanes and renews their leases, as save_progress.sql does for one, with the same conditions for each row. A row that
-- another transaction has locked is left out, so that it delays no other lane: that lane saves alone. Returns one row for each lane that was
-- saved, in any order, with its place in the arrays from 1; the others are not changed. The rows are found by outbox_subscription_pkey; each update is HOT.
with sequence as (
    select last_value - (not is_called)::int as last_id
    from outbox_id_seq
),
due as (
    select *
    from unnest(:subscriptions::text[], :lanes::integer[], :epochs::bigint[], :positions::bigint[], :gaps::text[],
                :older_gaps_changes::boolean[], :older_gaps::text[], :delivered::bigint[], :lease_millis::bigint[],
                :sessions::bigint[], :session_servers::bigint[], :numbers::bigint[], :last_saves::bigint[], :last_requested::bigint[])
        with ordinality as due (subscription, lane, epoch, position, gaps, older_gaps_change, older_gaps, delivered, lease_millis,
                session, session_server, number, last_save, last_requested, place)
),
unlocked as (
    select due.*
    from due
    cross join lateral (
        select true
        from outbox_subscription as stored
        where stored.name = due.subscription
          and stored.lane = due.lane
          and stored.epoch = due.epoch
        for no key update skip locked
    ) as stored
)
update outbox_subscription as stored
set position = unlocked.position,
    gaps = unlocked.gaps::int8multirange,
    older_gaps = case when unlocked.older_gaps_change then unlocked.older_gaps::int8multirange else stored.older_gaps end,
    delivered = unlocked.delivered,
    lease_until = clock_timestamp() + unlocked.lease_millis::double precision * interval '1 millisecond',
    presence = unlocked.session,
    presence_server = unlocked.session_server,
    saved_at = clock_timestamp(),
    saves = unlocked.number
from unlocked
where stored.name = unlocked.subscription
  and stored.lane = unlocked.lane
  and stored.epoch = unlocked.epoch
  and stored.owner is not null
  and stored.saves between unlocked.last_save and unlocked.last_requested
  and (select last_id from sequence) >= unlocked.position
returning unlocked.place,
          stored.paused or stored.halted_at is not null as stopped,
          coalesce(case when stored.barrier_until between clock_timestamp() and clock_timestamp() + interval '10 seconds' then stored.barrier end, 9223372036854775807) as read_to
