package dev.caravan.operate.intake;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.subscription.Refusal;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** The intakes of an outbox: their state, and the changes that people make. Relays notice a change within a second. */
public final class Intakes {
    /** Dead letters of an intake are counted up to this number. */
    private static final int BOUND = 10_000;

    private static final String PREFIX = "intake:";

    /**
     * What is lost when an intake is removed.
     *
     * @param retries rejected rows that wait for another attempt
     * @param deadLetters rejected rows that wait for a person
     * @param unmarked rows that were copied and may still be pending in the source: an intake of the same table would copy them again
     */
    public record Content(long retries, long deadLetters, long unmarked) {
        /** Nothing. */
        public static final Content NONE = new Content(0, 0, 0);

        private boolean exceeds(Content other) {
            return retries > other.retries || deadLetters > other.deadLetters || unmarked > other.unmarked;
        }

        /** {@code 2 waiting rows, 1 dead letter and 0 rows whose mark is unknown}. */
        @Override
        public String toString() {
            return Formatted.counted(retries, "waiting row") + ", " + Formatted.counted(deadLetters, "dead letter")
                    + " and " + Formatted.counted(unmarked, "row") + " whose mark in the source is not confirmed";
        }
    }

    private record Locked(Optional<String> holder, Optional<String> halted, long unmarked) {}

    private final DataSource dataSource;

    public Intakes(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** The subscription of the dead letters of an intake, {@code intake:shop}. */
    public static String subscription(String intake) {
        return PREFIX + intake;
    }

    /** The intake whose dead letters have this subscription; empty for a subscription of a route. */
    public static Optional<String> ofSubscription(String subscription) {
        return subscription.startsWith(PREFIX)
                ? Optional.of(subscription.substring(PREFIX.length()))
                : Optional.empty();
    }

    /** All intakes that a relay has worked, in order of name. The cost does not depend on the number of rows. */
    public List<IntakeStatus> list() throws SQLException {
        return Transaction.run(dataSource, connection -> read(connection, null));
    }

    /** An intake by its name. */
    public Optional<IntakeStatus> find(String name) throws SQLException {
        return Transaction.run(
                dataSource, connection -> read(connection, name).stream().findFirst());
    }

    private static List<IntakeStatus> read(Connection connection, String name) throws SQLException {
        return Sql.file("operate/intakes")
                .with("name", name)
                .with("bound", BOUND)
                .with("rows", BOUND + 1)
                .query(connection, IntakeStatus.class);
    }

    /** Pauses it: its relay reads no rows. Returns false when it was already paused or the name is unknown. */
    public boolean pause(String name, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            boolean paused = Sql.file("operate/pause_intake").with("name", name).update(connection) > 0;
            if (paused) {
                Audit.write(connection, "pause", subscription(name), Map.of(), actor);
            }
            return paused;
        });
    }

    /**
     * Resumes it after a pause, or tries it again after a halt. If what halted it is not fixed, its relay halts it again. Returns false when it was
     * neither paused nor halted, or the name is unknown.
     */
    public boolean resume(String name, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Optional<Locked> locked = locked(connection, name);
            boolean resumed =
                    Sql.file("operate/resume_intake").with("name", name).update(connection) > 0;
            if (resumed) {
                Map<String, Object> detail = locked.flatMap(Locked::halted)
                        .<Map<String, Object>>map(error -> Map.of("halted", error))
                        .orElse(Map.of());
                Audit.write(connection, "resume", subscription(name), detail, actor);
            }
            return resumed;
        });
    }

    /** What would be lost with it; nothing if it does not exist. */
    public Content content(String name) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Optional<Locked> locked = locked(connection, name);
            return locked.isPresent() ? content(connection, name, locked.get()) : Content.NONE;
        });
    }

    /**
     * Removes an intake that no relay works any more, with its waiting rows and dead letters. Messages that it has copied are not changed.
     *
     * @param confirmed the content whose loss the person has confirmed
     * @throws Refusal when it does not exist, while a relay works it, or when it has more content than was confirmed
     */
    public void remove(String name, Content confirmed, Actor actor) throws SQLException {
        Transaction.run(dataSource, connection -> {
            // First, as a step of a bulk retry locks its row and then what it changes.
            Sql.file("operate/delete_jobs")
                    .with("subscription", subscription(name))
                    .update(connection);
            Locked locked = locked(connection, name)
                    .orElseThrow(() -> new Refusal("Intake " + name + " does not exist. Nothing was changed."));
            if (locked.holder().isPresent()) {
                throw new Refusal("Could not remove intake " + name + ": relay "
                        + locked.holder().get() + " works it. Nothing was changed. Remove its file from the relay and"
                        + " restart the relay first.");
            }
            Content content = content(connection, name, locked);
            if (content.exceeds(confirmed)) {
                throw new Refusal("Could not remove intake " + name + ": it has " + content
                        + ", which would be lost. Nothing was changed. Retry or discard the dead letters, and let a relay"
                        + " confirm the marks first; or confirm that they are lost.");
            }
            Subscriptions.deleteContent(connection, subscription(name));
            Sql.file("operate/delete_intake").with("name", name).update(connection);
            Audit.write(
                    connection,
                    "delete",
                    subscription(name),
                    Map.of(
                            "retries",
                            content.retries(),
                            "deadLetters",
                            content.deadLetters(),
                            "unmarked",
                            content.unmarked()),
                    actor);
            return null;
        });
    }

    /** Locks an intake until the end of the transaction: its relay copies nothing meanwhile. Returns false when it does not exist. */
    public static boolean lock(Connection connection, String name) throws SQLException {
        return locked(connection, name).isPresent();
    }

    private static Content content(Connection connection, String name, Locked locked) throws SQLException {
        Subscriptions.Content failed = Subscriptions.content(connection, subscription(name));
        return new Content(failed.retries(), failed.deadLetters(), locked.unmarked());
    }

    private static Optional<Locked> locked(Connection connection, String name) throws SQLException {
        return Sql.file("operate/lock_intake").with("name", name).first(connection, Locked.class);
    }
}
