package dev.caravan.lab.servers;

import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A real MariaDB on a free port, as a child process: the program {@code mariadbd} of this machine, which is in Debian's package
 * mariadb-server. Its data is in a temporary folder that close removes. A driver must be on the class path: {@code org.mariadb.jdbc:mariadb-java-client} for
 * {@link #url}, {@code com.mysql:mysql-connector-j} for {@link #mysqlUrl}.
 */
public final class MariaDbServer implements AutoCloseable {
    private static final String USER = "mariadb";
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    /** Nobody knows it: whoever is a superuser writes files as the user who has started the server. */
    private final String password = UUID.randomUUID().toString();

    private final Path folder;
    private final List<String> options;
    private final int port = FreePorts.one();
    private final AtEndOfJvm end;
    private final AtomicInteger databases = new AtomicInteger();
    private Process process;

    private MariaDbServer(Path folder, String... options) throws IOException {
        this.folder = folder;
        this.options = List.of(options);
        end = AtEndOfJvm.removeMariaDb(folder);
    }

    /** Whether its programs are on this machine. */
    public static boolean isInstalled() {
        return program("mariadbd").isPresent() && program("mariadb-install-db").isPresent();
    }

    /**
     * Starts a server for tests, which takes less than a second. What it has committed survives {@link #kill}, but not a crash of this
     * machine: it does not wait for the disk, and its data is in memory if the machine has enough.
     */
    public static MariaDbServer startForTests() throws Exception {
        return started(new MariaDbServer(
                MemoryFolder.create("caravan-mariadb-"),
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-buffer-pool-size=64M",
                "--innodb-log-file-size=64M",
                "--innodb-doublewrite=0"));
    }

    /** Starts a server that waits for the disk at each commit, as in production, with its data on the disk. */
    public static MariaDbServer start() throws Exception {
        return started(new MariaDbServer(
                Files.createTempDirectory("caravan-mariadb-"),
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-buffer-pool-size=512M",
                "--innodb-log-file-size=512M"));
    }

    private static MariaDbServer started(MariaDbServer server) throws Exception {
        try {
            server.initialize();
            server.startAgain();
            return server;
        } catch (Exception e) {
            server.close();
            throw e;
        }
    }

    private static Optional<Path> program(String name) {
        return Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":"))
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static String required(String name) throws IOException {
        return program(name)
                .orElseThrow(() -> new IOException(
                        name + " is not on the PATH; it is part of MariaDB, in Debian of the package mariadb-server"))
                .toString();
    }

    /** Fills the folder. */
    private void initialize() throws Exception {
        Process initialization = run(
                required("mariadb-install-db"),
                "--auth-root-authentication-method=socket",
                "--skip-test-db",
                "--skip-name-resolve",
                "--innodb-flush-method=nosync");
        if (!initialization.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS) || initialization.exitValue() != 0) {
            initialization.destroyForcibly();
            throw new IllegalStateException("mariadb-install-db could not create " + data() + ": " + log());
        }
        Files.writeString(folder.resolve("user.sql"), """
                create user if not exists '%1$s'@'%%' identified by '%2$s';
                grant all on *.* to '%1$s'@'%%' with grant option;
                """.formatted(USER, password));
    }

    private Process run(String program, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "--no-defaults", "--datadir=" + data()));
        if (System.getProperty("user.name").equals("root")) { // which it would refuse to be
            command.add("--user=root");
        }
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    private Path data() {
        return folder.resolve("data");
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    /** Sends SIGKILL; returns when the process has ended. No effect while it is stopped. */
    public synchronized void kill() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
            process = null;
        }
    }

    /** Starts it with its data, on the same port. Returns when it accepts connections. No effect while it runs. */
    public synchronized void startAgain() throws Exception {
        if (process != null) {
            return;
        }
        List<String> more = new ArrayList<>(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=socket", // in the folder of the data; the path of a socket must be short
                "--pid-file=pid",
                "--init-file=" + folder.resolve("user.sql"),
                "--character-set-server=utf8mb4",
                "--collation-server=utf8mb4_general_ci",
                "--max-connections=200",
                "--skip-name-resolve",
                "--performance-schema=0"));
        more.addAll(options);
        process = run(required("mariadbd"), more.toArray(String[]::new));
        Await.until("MariaDB accepts connections", START_LIMIT, this::answers);
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("MariaDB has ended: " + log());
        }
        try (Connection connection = connect("")) {
            return connection.isValid(10);
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith("08")) {
                return false; // not yet
            }
            throw new IllegalStateException("Could not log in to MariaDB", e);
        }
    }

    /** The process id, for its use of the processor; changes when it is started again. */
    public synchronized long pid() {
        return process.pid();
    }

    /** JDBC URL of a database of this server for the driver of MariaDB. */
    public String url(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database;
    }

    /** JDBC URL of a database of this server for the driver of MySQL. */
    public String mysqlUrl(String database) {
        return "jdbc:mysql://127.0.0.1:" + port + "/" + database;
    }

    public String user() {
        return USER;
    }

    public String password() {
        return password;
    }

    /** Creates an empty database and returns its name. */
    public String createDatabase() throws SQLException {
        String name = "db" + databases.incrementAndGet();
        try (Connection connection = connect("")) {
            Sql.execute(connection, "create database " + name);
        }
        return name;
    }

    /** Opens a connection to a database of this server. */
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database), USER, password);
    }

    /** Unpooled connections to a database of this server. */
    public DataSource dataSource(String database) {
        return new DriverManagerDataSource(url(database), USER, password);
    }

    /** Kills it and removes its data. */
    @Override
    public void close() throws IOException {
        end.close();
    }
}
