-- Until when a relay sleeps, in microseconds since 1970; without a value while none does. A sequence and not a table, because an insert
-- has to see at once what a relay says, whatever the snapshot of its transaction, and pays for each look: this one reads one
-- page, without a plan, a snapshot or a dead row.
create sequence outbox_sleeper as bigint;

comment on sequence outbox_sleeper is 'Until when a relay sleeps (microseconds since 1970) and wants to be woken by inserts. Set by relays, read by the trigger outbox_wake_up.';

-- Applications need no more than INSERT on the outbox; before version 17 Postgres refuses an insert whose role may not look here.
-- All that anybody can see is whether a relay sleeps.
grant select on sequence outbox_sleeper to public;

-- Looks whether the announcement still holds: a relay that was killed has left its own behind. And NOTIFY would make PREPARE
-- TRANSACTION fail: relays do not sleep where transactions can be prepared; asked here too for the moments after a restart.
create function outbox_wake_up() returns trigger language plpgsql as $$
begin
    if pg_sequence_last_value(to_regclass(format('%I.outbox_sleeper', tg_table_schema)))
            > date_part('epoch', clock_timestamp()) * 1000000
        and current_setting('max_prepared_transactions') = '0'
    then
        perform pg_notify('outbox_insert', '');
    end if;
    return null;
end
$$;

comment on function outbox_wake_up is 'Tells relays that sleep that messages were written; they hear it when the transaction commits.';

-- Once per statement, and the function is only called while there is an announcement. Each insert pays for this condition, and
-- nothing longer will do: Postgres reads its tree anew each time. See docs/decisions/0008-wake-up.md.
create trigger outbox_wake_up
    after insert on outbox
    for each statement
    when (pg_sequence_last_value('outbox_sleeper'::regclass) is not null)
    execute function outbox_wake_up();

comment on trigger outbox_wake_up on outbox is 'Wakes relays that sleep. Disabled at first: relays poll then, and inserts pay nothing.';

-- To be turned on by whoever wants it: inserts of single rows lose about 5 % by it.
alter table outbox disable trigger outbox_wake_up;
