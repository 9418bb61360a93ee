-- The intakes in order of name, or one of them. Few rows. The dead letters of each are counted up to a bound plus one.
-- Served by outbox_intake_pkey and outbox_dead_letter_pkey.
select intake.intake,
       intake.source,
       case when intake.halted then 'halted'
            when intake.paused then 'paused'
            when intake.failing_since is not null then 'failing'
            when intake.lease_until > clock_timestamp() and intake.relay is not null then 'running'
            else 'no relay' end as state,
       case when intake.lease_until > clock_timestamp() then intake.relay end as relay,
       greatest(extract(epoch from clock_timestamp() - intake.caught_up_at), 0) as lag_seconds,
       intake.copied,
       intake.rejected,
       intake.copied_at,
       intake.failing_since,
       intake.error,
       least(dead.messages, :bound::bigint) as dead_letters_at_least,
       dead.messages > :bound::bigint as dead_letters_more
  from outbox_intake intake
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_dead_letter
                              where outbox_dead_letter.subscription = 'intake:' || intake.intake
                              limit :rows) part) dead
 where :name::text is null
    or intake.intake = :name::text
 order by intake.intake
