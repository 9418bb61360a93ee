package dev.caravan.lab.servers;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The changes of the subscriptions, which a trigger records in the table {@code history}: one row for each change of a lane. */
public final class ProgressHistory {
    /** Creates the table and the trigger. */
    public static final String TRIGGER = """
            create table history (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                name text not null,
                lane integer not null,
                lanes integer not null,
                owner text,
                epoch bigint not null,
                lease_until timestamptz,
                position bigint not null,
                gaps int8multirange not null,
                former_is_present boolean not null
            );
            create function remember() returns trigger language plpgsql security definer as $$
            begin
                insert into history (name, lane, lanes, owner, epoch, lease_until, position, gaps, former_is_present)
                values (new.name, new.lane, new.lanes, new.owner, new.epoch, new.lease_until, new.position,
                        new.gaps + coalesce(new.older_gaps, '{}'),
                        tg_op = 'UPDATE' and not coalesce(pg_try_advisory_xact_lock_shared(old.presence), false));
                return null;
            end $$;
            create trigger remember after insert or update on outbox_subscription
                for each row execute function remember();
            """;

    private ProgressHistory() {}

    /**
     * Forbidden changes, one line each: a position or an epoch that decreases, a lost acknowledgement, a new owner while the lease of
     * the old one holds and its session has not ended, two owners in one epoch. When the number of lanes changes, a lane also gets what other
     * lanes have not acknowledged.
     */
    public static List<String> forbiddenChanges(Connection connection) throws SQLException {
        return Sql.rows(connection, """
                select format('%s lane %s %s: %s epoch %s position %s gaps %s -> %s epoch %s position %s gaps %s',
                              name, lane, n, was_owner, was_epoch, was_position, was_gaps, owner, epoch, position, gaps)
                from (
                    select *, lag(owner) over w as was_owner, lag(epoch) over w as was_epoch,
                           lag(lease_until) over w as was_lease, lag(position) over w as was_position,
                           lag(gaps) over w as was_gaps, lag(lanes) over w as was_lanes
                    from history window w as (partition by name, lane order by n)
                ) as change
                where position < was_position
                   or epoch not between was_epoch and was_epoch + 1
                   or (lanes = was_lanes and not gaps * int8multirange(int8range(0, was_position, '[]')) <@ was_gaps)
                   or (epoch > was_epoch and was_owner is not null and was_lease > at and former_is_present)
                   or (epoch = was_epoch and owner <> was_owner)
                order by n
                """, row -> row.getString(1));
    }
}
