package dev.caravan.crash;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.progress.IdRanges;
import java.sql.SQLException;
import java.util.List;

/** All changes of the subscriptions, recorded by a trigger. */
final class ProgressLog {
    private static final String TABLE = """
            create table history (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                subscription text not null,
                lane integer not null,
                owner text,
                epoch bigint not null,
                lease_until timestamptz,
                position bigint not null,
                gaps int8multirange not null,
                former_is_present boolean
            );
            create function remember() returns trigger language plpgsql as $$
            begin
                insert into history (subscription, lane, owner, epoch, lease_until, position, gaps, former_is_present)
                values (new.name, new.lane, new.owner, new.epoch, new.lease_until, new.position,
                        new.gaps + coalesce(new.older_gaps, '{}'),
                        tg_op = 'UPDATE' and not coalesce(pg_try_advisory_xact_lock_shared(old.presence), false));
                return null;
            end $$;
            create trigger remember after insert or update on outbox_subscription
                for each row execute function remember();
            """;

    /** The progress of the subscription at the end of an epoch. */
    public record Saved(long epoch, String owner, long position, IdRanges gaps) {
        /** The number of ids. */
        long acknowledged() {
            return position - gaps.count();
        }

        boolean acknowledged(long id) {
            return id <= position && !gaps.contains(id);
        }
    }

    private final TestOutbox outbox;

    private ProgressLog(TestOutbox outbox) {
        this.outbox = outbox;
    }

    /** Writes down what happens from now on. */
    static ProgressLog of(TestOutbox outbox) throws SQLException {
        outbox.execute(TABLE);
        return new ProgressLog(outbox);
    }

    /** How each epoch of the subscription to Kafka ended, in order of epochs; the last one may not have ended. */
    List<Saved> endsOfEpochs() throws SQLException {
        return endsOfEpochs(Route.TO_KAFKA);
    }

    List<Saved> endsOfEpochs(String subscription) throws SQLException {
        return Sql.text("""
                select distinct on (epoch) epoch, first_value(owner) over (partition by epoch order by n),
                       position, gaps::text
                from history where subscription = :subscription and epoch > 0 order by epoch, n desc
                """)
                .with("subscription", subscription)
                .query(
                        outbox.unpooled(),
                        row -> new Saved(
                                row.getLong(1), row.getString(2), row.getLong(3), IdRanges.parse(row.getString(4))));
    }

    /**
     * Changes that must never happen, one line each: a position or an epoch that goes back, a message that was acknowledged
     * and is not any more, a new owner while the lease of the old one holds and its session has not ended, two owners in one epoch.
     */
    List<String> forbiddenChanges() throws SQLException {
        return Sql.text("""
                select format('%s: %s epoch %s position %s gaps %s -> %s epoch %s position %s gaps %s',
                              n, was_owner, was_epoch, was_position, was_gaps, owner, epoch, position, gaps)
                from (
                    select *, lag(owner) over w as was_owner, lag(epoch) over w as was_epoch,
                           lag(lease_until) over w as was_lease, lag(position) over w as was_position,
                           lag(gaps) over w as was_gaps
                    from history window w as (partition by subscription, lane order by n)
                ) as change
                where position < was_position
                   or epoch not between was_epoch and was_epoch + 1
                   or not gaps * int8multirange(int8range(0, was_position, '[]')) <@ was_gaps
                   or (epoch > was_epoch and was_owner is not null and was_lease > at and former_is_present)
                   or (epoch = was_epoch and owner <> was_owner)
                order by n
                """).query(outbox.unpooled(), row -> row.getString(1));
    }
}
