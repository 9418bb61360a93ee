-- Claims an intake whose lease has ended, or that this relay held before: it knows the last epoch. Used by IntakeStore. One statement, so that only
-- one of two relays gets it; the new epoch fences the previous holder. A transaction of that holder that is still open has locked the row:
-- the update waits for it and returns the batch that it has stored. A halted intake is claimed only by a relay that has just started.
-- A lease that ends later than its duration from now was granted before the clock was set back: it is shortened and not claimed, because
-- its holder may be running. An epoch is at least the time in microseconds: no other one has it, also after the intake was removed and created again,
-- and after a failover that has lost a claim. The source of rows whose mark is unknown is kept: the file may name another one by now.
-- Served by outbox_intake_pkey.
with shortened as (
    update outbox_intake
       set lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond'
     where intake = :intake
       and epoch <> :epoch
       and lease_until > clock_timestamp() + :lease_millis::double precision * interval '1 millisecond'
),
claimed as (
    update outbox_intake
       set relay = :relay,
           source = case when batch is null then :source else source end,
           epoch = greatest(epoch + 1, (extract(epoch from clock_timestamp()) * 1000000::numeric)::bigint),
           lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond',
           failing_since = case when not halted then failing_since end,
           error = case when not halted then error end,
           halted = false
     where intake = :intake
       and (epoch = :epoch or lease_until is null or lease_until < clock_timestamp())
       and (not halted or :is_start::boolean)
    returning epoch, source, batch, paused, clock_timestamp() as at
),
added as (
    insert into outbox_intake (intake, source, relay, epoch, lease_until)
    select :intake, :source, :relay, (extract(epoch from clock_timestamp()) * 1000000::numeric)::bigint, clock_timestamp() + :lease_millis::double precision * interval '1 millisecond'
     where not exists (select from outbox_intake where intake = :intake)
    on conflict (intake) do nothing
    returning epoch, source, batch, paused, clock_timestamp() as at
)
select epoch, source, batch, paused, at from claimed
union all
select epoch, source, batch, paused, at from added
