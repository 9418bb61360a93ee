package dev.caravan.operate.subscription;

import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Changes of whole subscriptions by people: pause, resume, delete. Relays notice a change within seconds. */
public final class Subscriptions {
    /** The number of waiting messages and dead letters of a subscription. */
    public record Content(long retries, long deadLetters) {
        public boolean isEmpty() {
            return retries == 0 && deadLetters == 0;
        }
    }

    private final DataSource dataSource;

    public Subscriptions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public List<String> names() throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/subscription_names")
                .query(connection, row -> row.getString(1)));
    }

    /** The names of subscriptions, and those that the rejected rows of intakes have, such as {@code intake:shop}. */
    public List<String> withIntakes() throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/subscriptions_and_intakes")
                .query(connection, row -> row.getString(1)));
    }

    /**
     * Whether a subscription or intake exists, or was deleted and something of it is still stored: dead letters, discarded ones, waiting messages, or
     * entries of the audit.
     */
    public boolean isStored(String name) throws SQLException {
        return names().contains(name)
                || Transaction.run(dataSource, connection -> Sql.file("operate/subscription_stored")
                        .with("name", name)
                        .first(connection, row -> true)
                        .isPresent());
    }

    /** Pauses all lanes. Returns false when they were already paused or the name is unknown. */
    public boolean pause(String name, Actor actor) throws SQLException {
        return setPaused(name, true, actor);
    }

    /**
     * Resumes all lanes. Returns false when none was paused or the name is unknown.
     *
     * @throws Refusal when it is halted
     */
    public boolean resume(String name, Actor actor) throws SQLException {
        return setPaused(name, false, actor);
    }

    private boolean setPaused(String name, boolean paused, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> setPaused(connection, name, paused, actor));
    }

    /** Pauses or resumes all lanes in the transaction of the caller. */
    public static boolean setPaused(Connection connection, String name, boolean paused, Actor actor)
            throws SQLException {
        // Locked in order of lanes, as everywhere, to prevent deadlocks.
        Optional<String> halted = HaltedSubscription.reason(connection, name);
        if (halted.isPresent() && !paused) {
            throw new Refusal("Could not resume " + name + ": it is halted, because " + halted.get()
                    + ". Nothing was changed. Choose the id to resume after: subscriptions resume " + name
                    + " --after ID. Messages after this id are delivered, even if they were delivered before; messages"
                    + " up to it are not");
        }
        int changed = Sql.file("operate/set_paused")
                .with("paused", paused)
                .with("name", name)
                .query(connection, row -> row.getInt(1))
                .size();
        if (changed > 0) {
            Audit.write(connection, paused ? "pause" : "resume", name, Map.of("lanes", changed), actor);
        }
        return changed > 0;
    }

    public Content content(String name) throws SQLException {
        return Transaction.run(dataSource, connection -> content(connection, name));
    }

    /** The content of a subscription, in the transaction of the caller. */
    public static Content content(Connection connection, String name) throws SQLException {
        return Sql.file("operate/subscription_content")
                .with("name", name)
                .first(connection, Content.class)
                .orElseThrow();
    }

    /**
     * Deletes a subscription with its progress, waiting messages and dead letters.
     *
     * @param confirmed the content whose deletion the person has confirmed
     * @throws Refusal when it does not exist, while a relay holds a lane, or when it has more content than was confirmed
     */
    public void delete(String name, Content confirmed, Actor actor) throws SQLException {
        shortenLeases(name);
        Transaction.run(dataSource, connection -> {
            // First, as a step of a bulk retry locks its row and then the lanes.
            Sql.file("operate/delete_jobs").with("subscription", name).update(connection);
            int lanes = lockUnused(connection, name);
            Content content = content(connection, name);
            if (content.retries() > confirmed.retries() || content.deadLetters() > confirmed.deadLetters()) {
                throw new Refusal("Could not delete subscription " + name + ": it has more waiting messages or"
                        + " dead letters than were shown. Nothing was changed. Run the command again.");
            }
            deleteContent(connection, name);
            deleteLanes(connection, name);
            Audit.write(
                    connection,
                    "delete",
                    name,
                    Map.of("lanes", lanes, "retries", content.retries(), "deadLetters", content.deadLetters()),
                    actor);
            return null;
        });
    }

    /** Deletes the waiting messages and dead letters of a subscription, discarded ones, and what people noted about groups of them. */
    public static void deleteContent(Connection connection, String name) throws SQLException {
        Sql.file("operate/delete_retries").with("name", name).update(connection);
        Sql.file("operate/delete_dead_letters").with("name", name).update(connection);
        Sql.file("operate/delete_discarded").with("name", name).update(connection);
        Sql.file("operate/delete_error_groups").with("name", name).update(connection);
    }

    /** Deletes a subscription without content. The caller has locked its lanes. */
    public static void deleteLanes(Connection connection, String name) throws SQLException {
        Sql.file("operate/delete_relays").with("name", name).update(connection);
        Sql.file("operate/delete_subscription").with("name", name).update(connection);
    }

    /** @throws Refusal when it does not exist, or while a relay holds a lane */
    public void requireUnused(String name) throws SQLException {
        shortenLeases(name);
        Transaction.run(dataSource, connection -> lockUnused(connection, name));
    }

    /** Runs in a separate transaction, so that a refusal does not undo it. */
    private void shortenLeases(String name) throws SQLException {
        Transaction.run(dataSource, connection -> Sql.file("operate/shorten_leases")
                .with("name", name)
                .update(connection));
    }

    /** Returns the number of its lanes. */
    private static int lockUnused(Connection connection, String name) throws SQLException {
        List<Optional<String>> holders = Sql.file("operate/lock_subscription")
                .with("name", name)
                .query(connection, row -> Optional.ofNullable(row.getString(2)));
        if (holders.isEmpty()) {
            throw new Refusal("Subscription " + name + " does not exist. Nothing was changed.");
        }
        requireNoHolder(name, holders);
        return holders.size();
    }

    private static void requireNoHolder(String name, List<Optional<String>> holdersOfLanes) {
        String holders =
                holdersOfLanes.stream().flatMap(Optional::stream).distinct().collect(Collectors.joining(", "));
        if (!holders.isEmpty()) {
            throw new Refusal("Could not delete subscription " + name + ": a route uses it (relay " + holders
                    + " holds its lease). Nothing was changed. Remove the route from the relay first.");
        }
    }
}
