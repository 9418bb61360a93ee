package dev.caravan.lab.servers;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.util.FileSystemUtils;

/**
 * A Postgres that can be stopped, crashed and, if it has a replica, replaced by it. The replica streams over its own
 * connection. A new replica can be built after each failover, so that the next one is possible.
 */
public final class FailoverPostgres implements AutoCloseable {
    /** Whether there is a replica, and whether a commit waits for it. */
    public enum Replication {
        OFF,
        ASYNC,
        SYNC
    }

    /** Reads the former primary, to which no other process can connect any more. */
    @FunctionalInterface
    public interface Examination {
        void read(Connection former) throws SQLException;
    }

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String OWNER = "postgres";

    private final Replication replication;
    private final List<Integer> ports;
    private final Path spare;
    private StoppablePostgres primary;
    /** Null while there is none. */
    private StoppablePostgres replica;
    /** The primary before the last promotion, until a replica is built in its place; null if there is none. */
    private StoppablePostgres former;

    private boolean examined;

    /**
     * Starts a primary, and a replica unless replication is off.
     *
     * @param folder a folder for the data, which need not exist
     */
    public FailoverPostgres(Path folder, Replication replication) throws Exception {
        this.replication = replication;
        ports = replication == Replication.OFF ? List.of(FreePorts.one()) : ports(FreePorts.two());
        spare = Files.createDirectories(folder).resolve("second");
        primary = new StoppablePostgres(folder.resolve("first"), ports.get(0));
        build(connection -> {});
    }

    private static List<Integer> ports(int[] ports) {
        return IntStream.of(ports).boxed().toList();
    }

    public Replication replication() {
        return replication;
    }

    /** The ports of all servers; the first one is that of the first primary. */
    public List<Integer> ports() {
        return ports;
    }

    /** Opens a connection to the primary. */
    public Connection connect(String role, String application) throws SQLException {
        return primary().connect(role, application);
    }

    /** Opens a connection to the first server that reports itself as primary. A former primary that still runs also does. */
    public Connection connectToAny(String role, String application) throws SQLException {
        return Database.unpooled(url(ports) + "&ApplicationName=" + application, role, "")
                .getConnection();
    }

    /** JDBC URL of its database for these ports of this machine, one for each server. */
    public static String url(List<Integer> throughPorts) {
        return throughPorts.stream()
                .map(port -> "localhost:" + port)
                .collect(Collectors.joining(
                        ",", "jdbc:postgresql://", "/postgres?targetServerType=primary&hostRecheckSeconds=1"));
    }

    private synchronized StoppablePostgres primary() {
        return primary;
    }

    /** Starts the primary. No effect while it runs. */
    public synchronized void start() throws IOException {
        primary.start();
    }

    /** Shuts down the primary. */
    public synchronized void stop() throws IOException {
        primary.stop();
    }

    /** Stops the primary at once. */
    public synchronized void crash() throws Exception {
        primary.crash();
    }

    /** Disconnects the replica: it receives nothing that the primary commits from now on. */
    public synchronized void cutReplica() throws SQLException {
        try (Connection connection = requireReplica().connect(OWNER, "failover")) {
            Sql.execute(connection, "alter system set primary_conninfo = ''");
            Sql.execute(connection, "select pg_reload_conf()");
        }
    }

    /** Stops the primary at once and makes the replica the primary. */
    public synchronized void failOver() throws Exception {
        requireReplica();
        primary.crash();
        promote();
    }

    /** Makes the replica the primary. The former primary may run until {@link #endFormer()}. */
    public synchronized void promote() throws Exception {
        try (Connection connection = requireReplica().connect(OWNER, "failover")) {
            Sql.execute(
                    connection, "select pg_promote(false)"); // a statement that waits can conflict with the recovery
            Await.until("the replica is promoted", LIMIT, () -> !isTrue(connection, "select pg_is_in_recovery()"));
        }
        former = primary;
        primary = replica;
        replica = null;
        examined = false;
    }

    private StoppablePostgres requireReplica() {
        if (replica == null) {
            throw new IllegalStateException("there is no replica at this moment");
        }
        return replica;
    }

    /** Stops the former primary at once. */
    public synchronized void endFormer() throws Exception {
        if (former != null) {
            former.crash();
        }
    }

    /**
     * Builds a new replica in the place of the former primary. Returns when it streams and, if replication is synchronous, commits
     * wait for it. No effect if there is a replica. May be called again after a failure.
     *
     * @param examination receives a connection to the former primary once, before its data is removed
     */
    public synchronized void build(Examination examination) throws Exception {
        if (replica != null || replication == Replication.OFF) {
            return;
        }
        Path data = spare;
        int port = ports.get(1);
        if (former != null) {
            endFormer();
            examine(examination);
            data = former.data();
            port = former.port();
            former.close();
        }
        FileSystemUtils.deleteRecursively(data);
        StoppablePostgres built = copy(data, port);
        try {
            awaitStreaming();
            replica = built;
            former = null;
        } finally {
            if (replica == null) {
                built.close();
            }
        }
    }

    private void examine(Examination examination) throws IOException, SQLException {
        if (!examined) {
            former.close();
            try (StoppablePostgres alone = new StoppablePostgres(former.data());
                    Connection connection = alone.connect(OWNER, "examination")) {
                examination.read(connection);
            }
            examined = true;
        }
    }

    private StoppablePostgres copy(Path data, int port) throws IOException, SQLException {
        try (Connection connection = primary.connect(OWNER, "failover")) {
            Sql.execute(connection, "alter system reset synchronous_standby_names");
            Sql.execute(connection, "select pg_reload_conf()");
            BaseBackup.copy(connection, primary.data(), data);
        }
        Files.createFile(data.resolve("standby.signal"));
        // Not as an option of the command line, which "alter system" could not change.
        Files.writeString(
                data.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.port() + " user=" + OWNER + "'\n");
        return new StoppablePostgres(data, port);
    }

    private void awaitStreaming() throws Exception {
        try (Connection connection = primary.connect(OWNER, "failover")) {
            await(connection, "state = 'streaming'");
            if (replication == Replication.SYNC) {
                Sql.execute(connection, "alter system set synchronous_standby_names = '*'");
                Sql.execute(connection, "select pg_reload_conf()");
                await(connection, "sync_state = 'sync'");
                String written = text(connection, "select pg_current_wal_flush_lsn()::text");
                await(connection, "flush_lsn >= '" + written + "'"); // what was committed before it was synchronous
            }
        }
    }

    private static void await(Connection connection, String condition) throws Exception {
        Await.until(
                "a replica has " + condition,
                LIMIT,
                () -> isTrue(connection, "select exists (select from pg_stat_replication where " + condition + ")"));
    }

    private static boolean isTrue(Connection connection, String sql) throws SQLException {
        return text(connection, sql).equals("t");
    }

    private static String text(Connection connection, String sql) throws SQLException {
        return Sql.rows(connection, sql, row -> row.getString(1)).get(0);
    }

    @Override
    public synchronized void close() throws IOException {
        for (StoppablePostgres server : Arrays.asList(primary, replica, former)) {
            if (server != null) {
                server.close();
            }
        }
    }
}
