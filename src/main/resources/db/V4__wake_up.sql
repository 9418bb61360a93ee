-- Until when a relay sleeps, in microseconds since 1970; not called while none does. A sequence and not a table, because an insert
-- has to see at once what a relay says, whatever the snapshot of its transaction, and pays for each look: this one reads one
-- page, without a plan, a snapshot or a dead row.
create sequence outbox_sleeper as bigint;

comment on sequence outbox_sleeper is 'Until when a relay sleeps (microseconds since 1970) and wants to be woken by inserts. Set by relays, read by the trigger outbox_wake_up.';

-- Applications need no more than INSERT on the outbox. All that anybody can see here is whether a relay sleeps.
grant select on sequence outbox_sleeper to public;

-- NOTIFY would make PREPARE TRANSACTION fail. Relays do not sleep where transactions can be prepared; this holds also for the
-- moments after that was allowed by a restart.
create function outbox_wake_up() returns trigger language plpgsql as $$
begin
    if current_setting('max_prepared_transactions') = '0' then
        perform pg_notify('outbox_insert', '');
    end if;
    return null;
end
$$;

comment on function outbox_wake_up is 'Tells relays that sleep that messages were written; they hear it when the transaction commits.';

-- Once per statement, and the function is only called while a relay sleeps. The privilege is asked first: without it some versions
-- of Postgres refuse to tell the value, and an insert must never fail for this.
create trigger outbox_wake_up
    after insert on outbox
    for each statement
    when (case when has_sequence_privilege('outbox_sleeper'::regclass, 'select')
               then pg_sequence_last_value('outbox_sleeper'::regclass) > date_part('epoch', clock_timestamp()) * 1000000
          end)
    execute function outbox_wake_up();

comment on trigger outbox_wake_up on outbox is 'Wakes relays that sleep. While it is disabled or missing, relays poll instead.';
