package dev.caravan.lab.torture.stage;

import dev.caravan.engine.progress.IdRanges;
import java.sql.SQLException;
import java.util.List;

/** The changes of the progress and of the side tables, which triggers record in the database. */
public final class RecordedChanges {
    static final String TRIGGERS = """
            create table history (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                name text not null,
                lane integer not null,
                owner text,
                epoch bigint not null,
                lease_until timestamptz,
                position bigint not null,
                gaps int8multirange not null,
                former_is_present boolean not null
            );
            create function remember() returns trigger language plpgsql security definer as $$
            begin
                insert into history (name, lane, owner, epoch, lease_until, position, gaps, former_is_present)
                values (new.name, new.lane, new.owner, new.epoch, new.lease_until, new.position,
                        new.gaps + coalesce(new.older_gaps, '{}'),
                        tg_op = 'UPDATE' and not coalesce(pg_try_advisory_xact_lock_shared(old.presence), false));
                return null;
            end $$;
            create trigger remember after insert or update on outbox_subscription
                for each row execute function remember();

            create table movement (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                side_table text not null,
                entered boolean not null,
                subscription text not null,
                id bigint not null
            );
            create function move() returns trigger language plpgsql security definer as $$
            begin
                insert into movement (side_table, entered, subscription, id)
                values (tg_table_name, tg_op = 'INSERT', coalesce(new.subscription, old.subscription), coalesce(new.id, old.id));
                return null;
            end $$;
            create trigger move after insert or delete on outbox_retry for each row execute function move();
            create trigger move after insert or delete on outbox_dead_letter for each row execute function move();
            """;

    /** The state of a subscription after a change. */
    public record State(long atMillis, String owner, long epoch, long position, IdRanges gaps) {
        public boolean covers(long id) {
            return id <= position && !gaps.contains(id);
        }
    }

    /** A message that entered or left a side table. */
    public record Movement(long atMillis, String table, boolean entered, String subscription, long id) {}

    private final TorturedOutbox outbox;

    RecordedChanges(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    /** The states of a lane in the order of commit. */
    public List<State> history(String subscription, int lane) throws SQLException {
        return outbox.query(
                "select (extract(epoch from at) * 1000)::bigint, owner, epoch, position, gaps::text from history where name = '"
                        + subscription + "' and lane = " + lane + " order by n",
                row -> new State(
                        row.getLong(1),
                        row.getString(2),
                        row.getLong(3),
                        row.getLong(4),
                        IdRanges.parse(row.getString(5))));
    }

    /** The messages that entered or left a side table, in the order of the changes. */
    public List<Movement> movements() throws SQLException {
        return outbox.query(
                "select (extract(epoch from at) * 1000)::bigint, side_table, entered, subscription, id from movement order by n",
                row -> new Movement(
                        row.getLong(1), row.getString(2), row.getBoolean(3), row.getString(4), row.getLong(5)));
    }

    /**
     * Forbidden changes, one line each: a position or an epoch that decreases, a lost acknowledgement, a new owner while the lease of
     * the old one holds and its session has not ended, two owners in one epoch.
     */
    public List<String> forbiddenChanges() throws SQLException {
        return outbox.query("""
                select format('%s lane %s %s: %s epoch %s position %s gaps %s -> %s epoch %s position %s gaps %s',
                              name, lane, n, was_owner, was_epoch, was_position, was_gaps, owner, epoch, position, gaps)
                from (
                    select *, lag(owner) over w as was_owner, lag(epoch) over w as was_epoch,
                           lag(lease_until) over w as was_lease, lag(position) over w as was_position,
                           lag(gaps) over w as was_gaps
                    from history window w as (partition by name, lane order by n)
                ) as change
                where position < was_position
                   or epoch not between was_epoch and was_epoch + 1
                   or not gaps * int8multirange(int8range(0, was_position, '[]')) <@ was_gaps
                   or (epoch > was_epoch and was_owner is not null and was_lease > at and former_is_present)
                   or (epoch = was_epoch and owner <> was_owner)
                order by n
                """, row -> row.getString(1));
    }
}
