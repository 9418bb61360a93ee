package dev.caravan.operate.subscription;

import dev.caravan.database.Sql;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Transaction;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.NewSubscription;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.store.SubscriptionRows;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Creates a subscription before any relay has run its route, for example paused. */
public final class SubscriptionCreation {
    private static final long PAUSE_MILLIS = 20;

    private final DataSource dataSource;
    private final Clock clock;

    public SubscriptionCreation(DataSource dataSource, Clock clock) {
        this.dataSource = dataSource;
        this.clock = clock;
    }

    /**
     * Creates all lanes of a subscription.
     *
     * @param lanes as in the route
     * @return the position: messages with higher ids are delivered, and those of transactions that are still open
     * @throws Refusal when it already exists or the name is not allowed; nothing is changed
     */
    public long create(String name, int lanes, Start start, boolean paused, Actor actor) throws SQLException {
        if (!LaneId.isName(name)) {
            throw new Refusal(
                    "Could not create a subscription with this name: it must have 1 to 100 lower-case letters, digits,"
                            + " dots, dashes and underscores, and begin with a letter or digit. Nothing was changed.");
        }
        return Transaction.run(
                dataSource, connection -> create(connection, clock, new LaneId(name, 0, lanes), start, paused, actor));
    }

    /**
     * Creates a subscription with one lane, in the transaction of the caller. It starts with messages that are committed from now on.
     *
     * @throws Refusal when it already exists
     */
    public static void createAtEnd(Connection connection, Clock clock, String name, boolean paused, Actor actor)
            throws SQLException {
        create(connection, clock, LaneId.only(name), Start.parse("latest"), paused, actor);
    }

    private static long create(
            Connection connection, Clock clock, LaneId lane, Start start, boolean paused, Actor actor)
            throws SQLException {
        var rows = new SubscriptionRows(new JdbcTemplate(new SingleConnectionDataSource(connection, true)), lane);
        var subscription = new NewSubscription(rows, start, clock);
        while (!subscription.create()) {
            awaitWriters();
        }
        long position = created(connection, lane.subscription(), paused);
        Audit.write(
                connection,
                "create",
                lane.subscription(),
                Map.of("lanes", lane.lanes(), "position", position, "paused", paused),
                actor);
        return position;
    }

    private static long created(Connection connection, String name, boolean paused) throws SQLException {
        List<Long> positions = Sql.file("operate/created")
                .with("paused", paused)
                .with("name", name)
                .query(connection, row -> row.getLong(1));
        if (positions.isEmpty()) {
            throw new Refusal("Could not create subscription " + name + ": it already exists. Nothing was changed. See"
                    + " it with: ./caravan subscriptions list");
        }
        return positions.get(0);
    }

    /** Pauses before the open transactions, whose messages must not be skipped, are checked again. */
    private static void awaitWriters() throws SQLException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }
}
