package dev.caravan;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Database;
import dev.caravan.database.ReusedSessions;
import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.InitializedData;
import dev.caravan.lab.servers.MemoryFolder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A primary and a replica that streams from it asynchronously, both on this machine, for tests of a failover. */
public final class ReplicatedPostgres implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path folder;
    private final int primaryPort;
    private EmbeddedPostgres primary;
    private final EmbeddedPostgres replica;
    private final ReusedSessions toPrimary;
    private final ReusedSessions toReplica;
    private final List<AtEndOfJvm> ends;

    private ReplicatedPostgres(Path folder) throws Exception {
        this.folder = folder;
        ends = List.of(
                AtEndOfJvm.endPostgres(folder.resolve("primary")), AtEndOfJvm.endPostgres(folder.resolve("replica")));
        primary = server("primary").start();
        primaryPort = primary.getPort();
        primary.close();
        copy(folder.resolve("primary"), folder.resolve("replica"));
        Files.createFile(folder.resolve("replica").resolve("standby.signal"));
        // Not as an option of the command line, which "alter system" could not change.
        Files.writeString(
                folder.resolve("replica").resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primaryPort + " user=postgres'\n");
        primary = server("primary").setPort(primaryPort).start();
        replica = server("replica").start();
        toPrimary = new ReusedSessions(unpooled(primaryUrl()));
        toReplica = new ReusedSessions(unpooled(replicaUrl()));
        eventually(LIMIT, () -> assertThat(receivers()).isEqualTo(1));
    }

    /** Starts both; the replica streams when this returns. */
    public static ReplicatedPostgres start() throws Exception {
        return new ReplicatedPostgres(MemoryFolder.create("caravan-replicated-"));
    }

    private EmbeddedPostgres.Builder server(String name) throws IOException {
        return InitializedData.serverOn(folder.resolve(name))
                .setPGStartupWait(LIMIT)
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "100");
    }

    /** JDBC URL that connects to whichever of the two is the primary. */
    public String url() {
        return "jdbc:postgresql://localhost:" + primaryPort + ",localhost:" + replica.getPort()
                + "/postgres?targetServerType=primary&hostRecheckSeconds=0";
    }

    /** JDBC URL of the server that is the primary at first. */
    public String primaryUrl() {
        return "jdbc:postgresql://localhost:" + primaryPort + "/postgres";
    }

    /** JDBC URL of the server that is a replica until it is promoted. */
    public String replicaUrl() {
        return "jdbc:postgresql://localhost:" + replica.getPort() + "/postgres";
    }

    /** Connections to one of the servers, each with a session of its own. */
    public static DataSource unpooled(String url) {
        return Database.unpooled(url, "postgres", "");
    }

    /** Connections to the server that is the primary at first. They use sessions again. */
    public DataSource primary() {
        return toPrimary;
    }

    /** Connections to the server that is a replica until it is promoted. They use sessions again. */
    public DataSource replica() {
        return toReplica;
    }

    /** Returns when the replica has everything that the primary has written so far. */
    public void awaitReplica() throws Exception {
        String written = new JdbcTemplate(primary()).queryForObject("select pg_current_wal_lsn()::text", String.class);
        eventually(LIMIT, () -> assertThat(new JdbcTemplate(replica())
                        .queryForObject("select pg_last_wal_replay_lsn() >= ?::pg_lsn", Boolean.class, written))
                .isTrue());
    }

    /** From now on the primary answers a commit only after the replica has it. */
    public void replicateSynchronously() throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(primary());
        jdbc.execute("alter system set synchronous_standby_names = '*'");
        jdbc.execute("select pg_reload_conf()");
        eventually(
                LIMIT, () -> assertThat(jdbc.queryForList("select sync_state from pg_stat_replication", String.class))
                        .containsExactly("sync"));
    }

    /** Disconnects the replica: it receives nothing that the primary commits from now on. */
    public void cutReplica() throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(replica());
        jdbc.execute("alter system set primary_conninfo = ''");
        jdbc.execute("select pg_reload_conf()");
        eventually(LIMIT, () -> assertThat(receivers()).isZero());
    }

    private int receivers() throws SQLException {
        return new JdbcTemplate(primary()).queryForObject("select count(*) from pg_stat_replication", Integer.class);
    }

    /** Ends the primary at once, as when its machine is lost. */
    public void killPrimary() throws Exception {
        Path running = folder.resolve("primary").resolve("postmaster.pid");
        String pid = Files.readAllLines(running).get(0);
        Process kill = new ProcessBuilder("kill", "-QUIT", pid).start();
        assertThat(kill.waitFor(60, TimeUnit.SECONDS)).isTrue();
        eventually(LIMIT, () -> assertThat(running).doesNotExist());
    }

    /** Makes the replica a primary with its own timeline. A statement that waits for that can conflict with the recovery. */
    public void promoteReplica() throws Exception {
        JdbcTemplate replica = new JdbcTemplate(replica());
        replica.queryForObject("select pg_promote(false)", Boolean.class);
        eventually(LIMIT, () -> assertThat(replica.queryForObject("select pg_is_in_recovery()", Boolean.class))
                .isFalse());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Override
    public void close() throws Exception {
        toPrimary.close();
        toReplica.close();
        primary.close();
        replica.close();
        for (AtEndOfJvm end : ends) {
            end.close();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.sorted(java.util.Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }
}
