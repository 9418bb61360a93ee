package dev.caravan.lab.servers;

import dev.caravan.database.Database;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** A Postgres that can be stopped and started again with its data, on the same port. */
public final class StoppablePostgres implements AutoCloseable {
    /** Small, so that connections can be exhausted. A relay uses up to twenty. */
    private static final String MAX_CONNECTIONS = "60";

    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    /** More than what is written while a base backup is copied. */
    private static final String WAL_KEPT = "1GB";

    private final Path data;
    private final Thread closeAtExit = new Thread(this::closeAtExit, "close-postgres");
    private final AtEndOfJvm end;
    private EmbeddedPostgres server;
    private int port;
    private boolean closed;

    /** @param data a folder for its data, which need not exist */
    public StoppablePostgres(Path data) throws IOException {
        this(data, 0);
    }

    /** @param port the port; 0 for a free one */
    StoppablePostgres(Path data, int port) throws IOException {
        this.data = data;
        this.port = port;
        end = AtEndOfJvm.endPostgres(data);
        Runtime.getRuntime().addShutdownHook(closeAtExit);
        start();
    }

    public int port() {
        return port;
    }

    Path data() {
        return data;
    }

    /** Starts the server. Returns when it accepts connections. No effect while it runs or after close. */
    public synchronized void start() throws IOException {
        if (server != null || closed) {
            return;
        }
        EmbeddedPostgres.Builder builder = InitializedData.serverOn(data)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(START_LIMIT)
                .setServerConfig("synchronous_commit", "on") // otherwise a crash would lose the last commits
                .setServerConfig("wal_keep_size", WAL_KEPT)
                .setServerConfig("wal_retrieve_retry_interval", "200ms")
                .setServerConfig("max_connections", MAX_CONNECTIONS);
        if (port != 0) {
            builder.setPort(port);
        }
        server = builder.start();
        port = server.getPort();
    }

    /** Ends all sessions and shuts down ("fast"). No effect while it is stopped. */
    public synchronized void stop() throws IOException {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    /** Stops at once ("immediate"). The next start recovers as after a crash. No effect while it is stopped. */
    public synchronized void crash() throws Exception {
        if (server != null) {
            Path running = data.resolve("postmaster.pid");
            Signal.send("-QUIT", Long.parseLong(Files.readAllLines(running).get(0)));
            Await.until("Postgres has ended", STOP_LIMIT, () -> Files.notExists(running));
            stop(); // releases the lock on the data
        }
    }

    /** Opens a connection without a proxy. */
    public Connection connect(String role, String application) throws SQLException {
        return Database.unpooled(url(port) + "?ApplicationName=" + application, role, "")
                .getConnection();
    }

    /** JDBC URL of its database as seen through a port of this machine. */
    public String url(int throughPort) {
        return "jdbc:postgresql://localhost:" + throughPort + "/postgres";
    }

    private void closeAtExit() {
        try {
            shutDown();
        } catch (IOException e) {
            // it ends with the process group, or has ended
        }
    }

    private synchronized void shutDown() throws IOException {
        closed = true;
        stop();
        end.close();
    }

    @Override
    public void close() throws IOException {
        shutDown();
        try {
            Runtime.getRuntime().removeShutdownHook(closeAtExit);
        } catch (IllegalStateException e) {
            // the hook is running already
        }
    }
}
