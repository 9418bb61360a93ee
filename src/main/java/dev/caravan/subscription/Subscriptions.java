package dev.caravan.subscription;

import dev.caravan.audit.Actor;
import dev.caravan.audit.Audit;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** What people do to a whole subscription. Relays notice by themselves. */
public final class Subscriptions {
    /** Messages that a subscription holds besides its progress. */
    public record Content(long retries, long deadLetters) {
        public boolean isEmpty() {
            return retries == 0 && deadLetters == 0;
        }
    }

    private record Lane(int number, String holder) {}

    private final DataSource dataSource;

    public Subscriptions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public List<String> names() throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "subscription/subscription_names", row -> row.getString(1)));
    }

    /** Stops all lanes; false when they are paused already. Unknown names change nothing. */
    public boolean pause(String name, Actor signature) throws SQLException {
        return setPaused(name, true, signature);
    }

    /**
     * Starts all lanes again; false when none was paused. Unknown names change nothing.
     *
     * @throws Refusal when it is halted
     */
    public boolean resume(String name, Actor signature) throws SQLException {
        return setPaused(name, false, signature);
    }

    private boolean setPaused(String name, boolean paused, Actor signature) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            // In order of lanes, as everybody does: two who lock them in different orders would wait for each other.
            Optional<String> halted = HaltedSubscription.reason(connection, name);
            if (halted.isPresent() && !paused) {
                throw new Refusal("Could not resume " + name + ": it is halted, because " + halted.get()
                        + ". Nothing was changed. Say after which id it goes on: subscriptions resume " + name
                        + " --after ID. Messages after it are delivered, also those that were delivered before; messages up"
                        + " to it are not");
            }
            int changed = Statement.query(
                            connection, "subscription/set_paused", row -> row.getInt(1), paused, name, paused)
                    .size();
            if (changed > 0) {
                Audit.write(connection, paused ? "pause" : "resume", name, Map.of("lanes", changed), signature);
            }
            return changed > 0;
        });
    }

    public Content content(String name) throws SQLException {
        return Transaction.run(dataSource, connection -> content(connection, name));
    }

    private static Content content(Connection connection, String name) throws SQLException {
        return Statement.query(
                        connection,
                        "subscription/subscription_content",
                        row -> new Content(row.getLong(1), row.getLong(2)),
                        name,
                        name)
                .get(0);
    }

    /**
     * Removes progress, retries and dead letters.
     *
     * @param agreed what the person agreed to lose; more than that is not removed
     * @throws Refusal when it does not exist, while a relay holds a lane, or when there is more to lose than was agreed
     */
    public void delete(String name, Content agreed, Actor signature) throws SQLException {
        shortenLeases(name);
        Transaction.run(dataSource, connection -> {
            List<Lane> lanes = lockUnused(connection, name);
            Content content = content(connection, name);
            if (content.retries() > agreed.retries() || content.deadLetters() > agreed.deadLetters()) {
                throw new Refusal("Could not delete subscription " + name + ": it got more retries or dead letters"
                        + " meanwhile. Nothing was changed; look again.");
            }
            Statement.update(connection, "subscription/delete_retries", name);
            Statement.update(connection, "subscription/delete_dead_letters", name);
            Statement.update(connection, "subscription/delete_relays", name);
            Statement.update(connection, "subscription/delete_subscription", name);
            Audit.write(
                    connection,
                    "delete",
                    name,
                    Map.of("lanes", lanes.size(), "retries", content.retries(), "deadLetters", content.deadLetters()),
                    signature);
            return null;
        });
    }

    /** @throws Refusal when it does not exist, or while a relay holds a lane */
    public void requireUnused(String name) throws SQLException {
        shortenLeases(name);
        Transaction.run(dataSource, connection -> lockUnused(connection, name));
    }

    /** In a transaction of its own: a refusal must not take it back. */
    private void shortenLeases(String name) throws SQLException {
        Transaction.run(dataSource, connection -> Statement.update(connection, "subscription/shorten_leases", name));
    }

    private static List<Lane> lockUnused(Connection connection, String name) throws SQLException {
        List<Lane> lanes = Statement.query(
                connection, "subscription/lock_subscription", row -> new Lane(row.getInt(1), row.getString(2)), name);
        if (lanes.isEmpty()) {
            throw new Refusal("There is no subscription " + name + ". Nothing was changed.");
        }
        requireNoHolder(name, lanes);
        return lanes;
    }

    private static void requireNoHolder(String name, List<Lane> lanes) {
        String holders = lanes.stream()
                .map(Lane::holder)
                .filter(Objects::nonNull)
                .distinct()
                .collect(Collectors.joining(", "));
        if (!holders.isEmpty()) {
            throw new Refusal("Could not delete subscription " + name + ": a route uses it (relay " + holders
                    + " holds its lease). Nothing was changed; remove the route from the relay first.");
        }
    }
}
