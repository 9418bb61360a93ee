package dev.caravan.crash;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.lab.servers.ProgressHistory;
import java.sql.SQLException;
import java.util.List;

/** All changes of the subscriptions, recorded by a trigger. */
final class ProgressLog {
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
        outbox.execute(ProgressHistory.TRIGGER);
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
                from history where name = :subscription and epoch > 0 order by epoch, n desc
                """)
                .with("subscription", subscription)
                .query(
                        outbox.unpooled(),
                        row -> new Saved(
                                row.getLong(1), row.getString(2), row.getLong(3), IdRanges.parse(row.getString(4))));
    }

    /** Changes that must never happen, one line each. */
    List<String> forbiddenChanges() throws SQLException {
        try (var connection = outbox.unpooled().getConnection()) {
            return ProgressHistory.forbiddenChanges(connection);
        }
    }
}
