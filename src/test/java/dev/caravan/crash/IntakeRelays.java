package dev.caravan.crash;

import dev.caravan.database.Sql;
import dev.caravan.lab.bench.run.SourceTable;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two relays with an intake: one copies, and one stands by. */
final class IntakeRelays implements CopyStage.Copier {
    private static final Duration LIMIT = Duration.ofSeconds(180);
    /** Longer than a lease. */
    private static final Duration FROZEN = Duration.ofSeconds(15);

    private static final String OF_INTAKE = " from outbox_intake where intake = '" + SourceTable.INTAKE + "'";

    private final CopyStage stage;
    private final Map<String, String> settings;
    private final Map<String, RelayProcess> relays = new HashMap<>();
    private int started;

    /** @param folder for routes and intakes */
    IntakeRelays(CopyStage stage, Path folder, int batch) throws Exception {
        this.stage = stage;
        settings = new HashMap<>(stage.source().intake(folder.resolve("intakes"), batch));
        settings.put(
                "caravan.routes",
                Files.createDirectories(folder.resolve("routes")).toString());
        settings.put("caravan.db.url", stage.url());
        settings.put("caravan.db.user", stage.user());
        settings.put("caravan.db.password", "");
        start();
        start();
    }

    private void start() throws Exception {
        String name = "intake-" + ++started;
        relays.put(name, RelayProcess.start(name, Path.of("target", "crash"), settings));
    }

    @Override
    public void keepRunning() throws Exception {
        for (RelayProcess relay : relays.values()) {
            relay.requireAlive();
        }
    }

    @Override
    public void kill() throws Exception {
        start(); // stands by next, if it does not take over
        RelayProcess owner = awaitOwner();
        owner.kill();
        relays.remove(owner.name()).close();
        if (started % 3 > 0) { // otherwise the lease ends by itself
            endLeaseOf(owner);
        }
    }

    /** The frozen relay may hold locks in both databases, so that no other relay can take over before it is resumed. */
    @Override
    public void freeze() throws Exception {
        RelayProcess owner = awaitOwner();
        owner.freeze();
        try {
            endLeaseOf(owner);
            long end = System.nanoTime() + FROZEN.toNanos();
            while (System.nanoTime() < end && owner.name().equals(owner())) {
                Thread.sleep(50);
            }
        } finally {
            owner.thaw();
        }
    }

    private RelayProcess awaitOwner() throws Exception {
        Await.until("a living relay holds the intake", LIMIT, () -> {
            keepRunning();
            return relays.containsKey(owner());
        });
        return relays.get(owner());
    }

    /** The relay that holds the intake; none or null if there is none. */
    private String owner() throws SQLException {
        return text("select relay" + OF_INTAKE + " and lease_until > clock_timestamp()");
    }

    private void endLeaseOf(RelayProcess relay) throws SQLException {
        try (Connection connection = DriverManager.getConnection(stage.url(), stage.user(), "");
                var statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '2s'");
            statement.execute(
                    "update outbox_intake set lease_until = clock_timestamp() where relay = '" + relay.name() + "'");
        } catch (SQLException e) {
            if (!"55P03".equals(e.getSQLState())) { // locked by a frozen relay: the lease ends by itself
                throw e;
            }
        }
    }

    @Override
    public boolean isDone() throws Exception {
        return text("select batch is null" + OF_INTAKE).equals("t");
    }

    private String text(String query) throws SQLException {
        List<String> found = Sql.rows(stage.outbox(), query, row -> String.valueOf(row.getString(1)));
        return found.isEmpty() ? "none" : found.get(0);
    }

    @Override
    public void close() {
        relays.values().forEach(RelayProcess::close);
        relays.clear();
    }
}
