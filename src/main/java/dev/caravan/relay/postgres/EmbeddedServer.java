package dev.caravan.relay.postgres;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.Database;
import dev.caravan.database.EmbeddedFolder;
import dev.caravan.database.EmbeddedFolder.Secret;
import dev.caravan.database.Sql;
import dev.caravan.relay.Running;
import dev.caravan.routes.component.UserJars;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Postgres of a relay: a child process with its data in a folder of the machine, for one relay. It is started again if it ends by itself. If
 * the relay is killed, the server may go on alone; the next start stops it and starts it as its own child.
 */
public final class EmbeddedServer implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedServer.class);

    /** What may be in the folder before there is any data; a file system of its own has lost+found. */
    private static final Pattern OURS = Pattern.compile(
            "connection(\\.part)?|password\\.new(\\.part)?|data\\.new|initdb-\\w+|lock|log|programs[-.]\\w+|lost\\+found");

    private static final String ADMINISTRATOR = "postgres";
    private static final int PASSWORD_BYTES = 24;

    private static final int POLL_MILLIS = 50;
    /** About 10 s. */
    private static final int POLLS_PER_NOTE = 200;

    private static final int STOP_SECONDS = 60;
    private static final int LONGEST_PAUSE_SECONDS = 30;

    private static final String SETTINGS = """

            # Written by Caravan at the creation. Later lines win: add your own below. The relay gives the port.
            listen_addresses = '127.0.0.1'
            unix_socket_directories = ''
            """ + ServerLog.SETTINGS;

    private final EmbeddedFolder embedded;
    private final Path folder;
    private final ClassLoader jars;
    private final ServerLog log;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** What is there while the server runs or starts; all guarded by this object. */
    private ServerUser user;

    private FolderLock lock;
    private ServerPrograms programs;
    private Process process;
    private Thread watch;

    private EmbeddedServer(EmbeddedFolder embedded, ClassLoader jars) {
        this.embedded = embedded;
        this.jars = jars;
        folder = embedded.folder();
        log = new ServerLog(folder.resolve("log"));
    }

    /** The server that {@code caravan.db.url} asks for, not started; empty if it names a database that exists. */
    public static Optional<EmbeddedServer> of(Settings settings) {
        Optional<EmbeddedFolder> embedded = EmbeddedFolder.of(settings);
        boolean hasLogin = !settings.text("caravan.db.password", "").isEmpty()
                || settings.variables().containsKey("caravan.db.user");
        if (embedded.isPresent() && hasLogin) {
            LOG.warn(
                    "caravan.db.user and caravan.db.password are ignored, because caravan.db.url is embedded:{}: this Postgres has a role and a password"
                            + " of its own. Remove them",
                    embedded.get().folder());
        }
        return embedded.map(
                each -> new EmbeddedServer(each, UserJars.of(settings).classLoader()));
    }

    /**
     * Starts the server, with new data if there is none; returns when it accepts connections. After a crash that takes as long as its recovery.
     *
     * @throws SettingsException if the folder or the programs cannot be used
     * @throws EmbeddedServerException if another relay uses the folder, or the server fails
     */
    public synchronized void start() throws SQLException {
        try {
            requireFolder();
            requireClosed();
            user = ServerUser.of(folder);
            requireOurs();
            lock = FolderLock.of(folder, user);
            programs = ServerPrograms.find(embedded, user, jars, versionOfData());
            stopSurvivor();
            if (!Files.exists(embedded.data())) {
                create();
            }
            launch();
        } catch (IOException e) {
            throw new EmbeddedServerException("Could not start Postgres in " + folder + ": " + reason(e)
                    + ". Nothing was started. Check the folder and its permissions.");
        }
        watch = new Thread(this::watch, "embedded-postgres");
        watch.setDaemon(true);
        watch.start();
    }

    private static String reason(IOException failure) {
        return failure instanceof java.nio.file.FileSystemException
                ? failure.getClass().getSimpleName() + " " + failure.getMessage()
                : failure.getMessage();
    }

    /** A folder that does not exist is created, but not by root: nobody could run Postgres in it. */
    private void requireFolder() throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        if (ServerUser.isRoot()) {
            throw new SettingsException("Could not find the folder " + folder + " in " + embedded.origin()
                    + ". Nothing was started. The relay runs as root, and Postgres does not: create the folder for another user, as whom"
                    + " the server then runs: install -d -m 700 -o USER " + folder);
        }
        Files.createDirectories(folder.getParent());
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Who may write there could exchange the programs and the password. */
    private void requireClosed() throws IOException {
        if (Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new SettingsException("Could not use the folder " + folder
                    + ": every user of the machine may write to it. Nothing was started. Close it: chmod 700 "
                    + folder);
        }
    }

    private void requireOurs() throws IOException {
        boolean isComplete = Files.exists(embedded.connection());
        if (Files.exists(embedded.data())) {
            if (!isComplete) {
                throw new SettingsException("Could not use the folder " + folder + ": it has data, but no file "
                        + embedded.connection()
                        + " with the password. Nothing was started. Restore that file from a backup of the"
                        + " folder, or name another folder in " + embedded.origin() + ".");
            }
            return;
        }
        if (isComplete && !Files.exists(created())) {
            throw new SettingsException("Could not use the folder " + folder + ": it was used before, and its data in "
                    + embedded.data()
                    + " is missing. Nothing was started, because messages would be lost. Restore the data; to begin with"
                    + " an empty outbox, remove " + embedded.connection() + ".");
        }
        try (var entries = Files.list(folder)) {
            Set<String> others = entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !OURS.matcher(name).matches())
                    .collect(Collectors.toCollection(java.util.TreeSet::new));
            if (!others.isEmpty()) {
                throw new SettingsException("Could not use the folder " + folder
                        + ": it is not empty, and not the folder of a Postgres of Caravan. Nothing was started. It contains "
                        + others.stream().limit(3).collect(Collectors.joining(", ")) + ". Name an empty folder in "
                        + embedded.origin() + ".");
            }
        }
    }

    /** New data that is complete. It gets its last name when its password is written. */
    private Path created() {
        return folder.resolve("data.new");
    }

    private OptionalInt versionOfData() throws IOException {
        for (Path data : List.of(embedded.data(), created())) {
            if (data.equals(embedded.data()) || Files.exists(embedded.connection())) {
                try {
                    String version =
                            Files.readString(data.resolve("PG_VERSION")).strip();
                    return OptionalInt.of(Integer.parseInt(version));
                } catch (NoSuchFileException e) {
                    // no data yet
                } catch (NumberFormatException e) {
                    throw new IOException(data.resolve("PG_VERSION") + " is damaged", e);
                }
            }
        }
        return OptionalInt.empty();
    }

    /** The server of a relay that was killed. It would be no child of this process, with perhaps another port and older programs. */
    private void stopSurvivor() throws IOException {
        Optional<EmbeddedFolder.Running> survivor = embedded.running();
        if (survivor.isPresent()) {
            LOG.info(
                    "Postgres (process {}) still runs in {}: its relay did not stop it. It is started again",
                    survivor.get().pid(),
                    folder);
            stop();
        }
    }

    private void create() throws IOException {
        if (!Files.exists(embedded.connection())) {
            LOG.info("Creating a Postgres {} in {}", programs.major(), folder);
            initialize();
        }
        user.shell("", "mv \"$1\" \"$2\"", created(), embedded.data());
    }

    private void initialize() throws IOException {
        byte[] random = new byte[PASSWORD_BYTES];
        SecureRandom source = new SecureRandom();
        source.nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        Path passwordFile = folder.resolve("password.new");
        // initdb of a relay that was killed may still run, and removes its folder when it fails: never the one of
        // another relay
        Path part = folder.resolve("initdb-" + Integer.toHexString(source.nextInt()));
        user.shell("", "rm -rf initdb-* || :; rm -rf \"$1\"", created());
        user.write(passwordFile, password + "\n");
        ServerUser.Ended ended = user.run(
                programs.program("initdb"),
                "--pgdata=" + part,
                "--username=" + ADMINISTRATOR,
                "--pwfile=" + passwordFile,
                "--auth-host=scram-sha-256",
                "--auth-local=reject",
                "--encoding=UTF8",
                "--no-locale",
                "--data-checksums");
        if (!ended.isOk()) {
            throw new EmbeddedServerException("Could not create a Postgres in " + folder
                    + ": initdb failed. Nothing was started. Its last lines:\n" + ServerLog.last(ended.output()));
        }
        user.shell(
                SETTINGS,
                "cat >> \"$1/postgresql.conf\"; sync \"$1/postgresql.conf\"; rm \"$2\"; mkdir -p \"$3\"; mv \"$1\" \"$4\"",
                part,
                passwordFile,
                logs(),
                created());
        write(new Secret(password, embedded.port().orElse(freePort())));
    }

    private Path logs() {
        return folder.resolve("log");
    }

    private void write(Secret secret) throws IOException {
        user.write(embedded.connection(), secret.uri() + "\n");
    }

    private void launch() throws IOException, SQLException {
        closeToGroup();
        forgetProcess();
        Secret secret = secret();
        int port = embedded.port().orElse(secret.port());
        Optional<String> problem = problem(port);
        if (problem.isPresent()) {
            if (embedded.port().isPresent()) {
                throw new EmbeddedServerException("Could not start Postgres in " + folder + ": port " + port
                        + " of 127.0.0.1 cannot be used (" + problem.get()
                        + "). Nothing was started. Stop the program that uses it, or change the port in "
                        + embedded.origin() + ".");
            }
            port = freePort();
        }
        if (port != secret.port()) {
            secret = new Secret(secret.password(), port);
            write(secret);
        }
        log.skip();
        process = user.start(command(port));
        awaitReady(new Output(process));
        createDatabase(secret);
        LOG.info("Postgres {} runs in {}, on port {} of this machine", programs.major(), folder, port);
    }

    /** Kubernetes opens all files of a volume with an fsGroup to that group, and Postgres refuses data to which a group may write. */
    private void closeToGroup() throws IOException {
        user.shell("", "chmod g-w,o-rwx \"$1\" || :; chmod go-rwx \"$2\" || :", embedded.data(), embedded.connection());
    }

    /**
     * After a crash the number in the file can belong to another process of this user, or to a thread of the relay: Postgres would not start.
     * It gets one that no process has. The rest stays, so Postgres still sees whether processes of the old server use the data.
     */
    private void forgetProcess() throws IOException {
        Path file = embedded.processFile();
        if (embedded.running().isEmpty() && Files.exists(file)) {
            user.shell("", "sed '1s/.*/2147483647/' \"$1\" > \"$1.part\"; mv -f \"$1.part\" \"$1\"", file);
        }
    }

    private Secret secret() throws IOException {
        return embedded.secret().orElseThrow(() -> new IOException(embedded.connection() + " has disappeared"));
    }

    private List<String> command(int port) {
        return List.of(programs.program("postgres"), "-D", embedded.data().toString(), "-p", Integer.toString(port));
    }

    /** Why a port cannot be used, {@code Address already in use}; empty if it can. */
    private static Optional<String> problem(int port) {
        try (ServerSocket attempt = new ServerSocket()) {
            attempt.bind(new InetSocketAddress("127.0.0.1", port));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return any.getLocalPort();
        }
    }

    private void awaitReady(Output output) throws IOException {
        for (int poll = 1; !isReady(); poll++) {
            if (closing.getCount() == 0) {
                stopChild();
                throw new EmbeddedServerException("Postgres in " + folder + " was stopped while it started.");
            }
            if (ended(POLL_MILLIS)) {
                throw new EmbeddedServerException("Could not start Postgres in " + folder + ": it ended with status "
                        + process.exitValue() + ". Nothing was started. Its last lines:\n"
                        + ServerLog.last(output.text() + "\n" + log.last()));
            }
            if (poll % POLLS_PER_NOTE == 0) {
                LOG.info("Postgres in {} still starts: it recovers what was written before it ended", folder);
            }
        }
    }

    private boolean isReady() throws IOException {
        return process.isAlive()
                && embedded.running().filter(EmbeddedFolder.Running::isReady).isPresent();
    }

    private boolean ended(long millis) throws IOException {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The role of the relay is no superuser. The database is created last, so it tells whether all is there. */
    private void createDatabase(Secret secret) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:" + secret.port() + "/" + ADMINISTRATOR + "?sslmode=disable";
        try (Connection connection =
                Database.unpooled(url, ADMINISTRATOR, secret.password()).getConnection()) {
            if (Sql.number(connection, "select count(*) from pg_database where datname = 'caravan'") > 0) {
                return;
            }
            if (Sql.number(connection, "select count(*) from pg_roles where rolname = 'caravan'") == 0) {
                Sql.execute(connection, "create role caravan login in role pg_monitor");
            }
            connection
                    .unwrap(org.postgresql.PGConnection.class)
                    .alterUserPassword(EmbeddedFolder.ROLE, secret.password().toCharArray(), "scram-sha-256");
            Sql.execute(connection, "create database caravan owner caravan");
        }
    }

    /** Until it is closed: shows what the server logs, removes old log files, and starts the server again if it ends. */
    private void watch() {
        int pause = 1;
        try {
            while (!closing.await(1, TimeUnit.SECONDS)) {
                if (follow()) {
                    pause = 1;
                } else if (!closing.await(pause, TimeUnit.SECONDS)) {
                    pause = Math.min(2 * pause, LONGEST_PAUSE_SECONDS);
                    restart();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether the server runs */
    private synchronized boolean follow() {
        try {
            log.serious().forEach(line -> LOG.warn("Postgres in {}: {}", folder, line));
            log.prune(user);
        } catch (IOException | RuntimeException e) {
            LOG.debug("Could not read the log of Postgres in {}", folder, e);
        }
        return process.isAlive();
    }

    private synchronized void restart() {
        if (closing.getCount() == 0) {
            return;
        }
        try {
            LOG.error(
                    "Postgres in {} has ended by itself (status {}). It is started again", folder, process.exitValue());
            launch();
        } catch (IOException | SQLException | RuntimeException e) {
            LOG.error("Could not start Postgres in {} again. Next attempt soon. {}", folder, e.getMessage());
        }
    }

    /** Its process id is known to pg_ctl only some time after its start. */
    private void stopChild() throws IOException {
        for (int second = 0; second < STOP_SECONDS && process.isAlive(); second++) {
            if (embedded.running().isPresent()) {
                stop();
            }
            ended(TimeUnit.SECONDS.toMillis(1));
        }
        process.destroyForcibly(); // no effect if it has ended; the next start recovers
    }

    /** Ends all sessions, writes all data and ends; at once if that takes too long. */
    private void stop() throws IOException {
        ServerUser.Ended fast = stop("fast");
        if (!fast.isOk() && embedded.running().isPresent()) {
            LOG.warn(
                    "Postgres in {} did not stop, and is stopped at once. Its next start recovers:\n{}",
                    folder,
                    ServerLog.last(fast.output()));
            stop("immediate");
        }
    }

    private ServerUser.Ended stop(String mode) throws IOException {
        return user.run(
                programs.program("pg_ctl"),
                "stop",
                "--pgdata=" + embedded.data(),
                "--mode=" + mode,
                "--timeout=" + STOP_SECONDS);
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        closing.await();
    }

    /** Stops the server, also one that is just starting. Idempotent. */
    @Override
    public void close() {
        closing.countDown();
        synchronized (this) {
            try {
                if (process != null && process.isAlive()) {
                    stopChild();
                    LOG.info("Postgres in {} has stopped", folder);
                }
                if (lock != null) {
                    lock.close();
                }
            } catch (IOException e) {
                LOG.error("Could not stop Postgres in {} cleanly. The next start continues with its data", folder, e);
            }
        }
    }

    /** What the server prints before it writes its log files. */
    private static final class Output {
        private static final int MAX = 10_000;

        /** The rest is there as soon as the process has ended. */
        private static final long REST_MILLIS = 2_000;

        private final StringBuffer read = new StringBuffer();
        private final Thread reader;

        Output(Process process) {
            reader = new Thread(() -> read(process), "embedded-postgres-output");
            reader.setDaemon(true);
            reader.start();
        }

        /** To its end: a process whose output nobody reads would wait. */
        private void read(Process process) {
            process.inputReader().lines().filter(line -> read.length() < MAX).forEach(line -> read.append(line + "\n"));
        }

        /** Of a process that has ended. */
        String text() throws IOException {
            try {
                reader.join(REST_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            return read.toString();
        }
    }
}
