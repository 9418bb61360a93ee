package dev.caravan.operate.subscription;

import dev.caravan.database.BoundedCount;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** Resumes a halted subscription after an id that a person has chosen, or where it stopped. */
public final class HaltedSubscription {
    private static final int BOUND = 10_000;

    /**
     * The messages in the outbox before and after an id.
     *
     * @param following messages after the id, which will be delivered
     * @param passed messages up to the id, which will not be delivered
     */
    public record Outlook(BoundedCount following, BoundedCount passed) {}

    private record Found(long lastId, Outlook outlook, long highest, String sequence) {}

    private final DataSource dataSource;
    private final String name;

    public HaltedSubscription(DataSource dataSource, String name) {
        this.dataSource = dataSource;
        this.name = name;
    }

    /** Why the subscription is halted; empty when it is not. */
    static Optional<String> reason(Connection connection, String name) throws SQLException {
        return Sql.file("operate/lock_subscription")
                .with("name", name)
                .query(connection, row -> Optional.ofNullable(row.getString(3)))
                .stream()
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * Counts the messages that resuming after an id would deliver and skip.
     *
     * @throws Refusal when it cannot be resumed after this id
     */
    public Outlook outlook(long after) throws SQLException {
        return Transaction.run(dataSource, connection -> require(connection, after));
    }

    /**
     * Resumes all lanes after an id.
     *
     * @throws Refusal when it cannot be resumed after this id; nothing is changed
     */
    public void resume(long after, Actor actor) throws SQLException {
        Transaction.run(dataSource, connection -> {
            String reason = reason(connection, name).orElse("");
            require(connection, after);
            int lanes = resume(connection, after);
            Audit.write(connection, "resume", name, Map.of("lanes", lanes, "after", after, "halted", reason), actor);
            return null;
        });
    }

    /**
     * Resumes each lane where it stopped. The person knows that no id up to the positions was assigned again: the sequence was only altered.
     *
     * @throws Refusal when it is not halted, or a position is ahead of the sequence; nothing is changed
     */
    public void resumeWhereItStopped(Actor actor) throws SQLException {
        Transaction.run(dataSource, connection -> {
            String reason = requireHalted(connection);
            long position = Collections.max(
                    Sql.file("operate/lock_subscription").with("name", name).query(connection, row -> row.getLong(4)));
            long lastId = found(connection, 0).lastId();
            if (position > lastId) {
                throw new Refusal("Could not resume " + name + " where it stopped: its position " + position
                        + " is ahead of the sequence, whose last id is " + lastId
                        + ". Nothing was changed. Choose the id to resume after (--after ID)");
            }
            int lanes = resume(connection, null);
            Audit.write(connection, "resume", name, Map.of("lanes", lanes, "halted", reason), actor);
            return null;
        });
    }

    private int resume(Connection connection, Long after) throws SQLException {
        return Sql.file("operate/resume_halted")
                .with("after", after)
                .with("name", name)
                .query(connection, row -> row.getInt(1))
                .size();
    }

    private Outlook require(Connection connection, long after) throws SQLException {
        requireHalted(connection);
        Found found = found(connection, after);
        if (after > found.lastId()) {
            throw new Refusal("Could not resume " + name + " after id " + after
                    + ": the last id of the sequence is "
                    + found.lastId() + ". Nothing was changed. Choose a lower id, or set the sequence first:"
                    + " select setval('" + found.sequence() + "', " + after + ")");
        }
        if (after < found.highest()) {
            throw new Refusal(
                    "Could not resume " + name + " after id " + after + ": it has waiting messages or dead letters"
                            + " with ids up to " + found.highest()
                            + ", and a new message with the same id would be mistaken for the old"
                            + " one. Nothing was changed. Discard those with higher ids, or set the sequence"
                            + " (select setval('" + found.sequence() + "', " + found.highest() + ")) and resume after "
                            + found.highest()
                            + " or a higher id");
        }
        return found.outlook();
    }

    private String requireHalted(Connection connection) throws SQLException {
        return reason(connection, name)
                .orElseThrow(
                        () -> new Refusal(
                                "Subscription " + name
                                        + " is not halted. Only a halted subscription can be resumed after an id. Nothing was changed."));
    }

    private Found found(Connection connection, long after) throws SQLException {
        return Sql.file("operate/after_id")
                .with("after", after)
                .with("limit", BOUND + 1)
                .with("name", name)
                .first(
                        connection,
                        row -> new Found(
                                row.getLong("last_id"),
                                new Outlook(
                                        BoundedCount.of(row.getLong("following"), BOUND),
                                        BoundedCount.of(row.getLong("passed"), BOUND)),
                                row.getLong("highest"),
                                row.getString("sequence")))
                .orElseThrow();
    }
}
