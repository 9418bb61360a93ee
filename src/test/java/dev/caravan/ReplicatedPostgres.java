package dev.caravan;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Database;
import dev.caravan.database.ReusedSessions;
import dev.caravan.lab.servers.FailoverPostgres;
import dev.caravan.lab.servers.MemoryFolder;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.FileSystemUtils;

/** A primary and a replica that streams from it asynchronously, both on this machine, for tests of a failover. */
public final class ReplicatedPostgres implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path folder = MemoryFolder.create("caravan-replicated-");
    private final FailoverPostgres servers = new FailoverPostgres(folder, FailoverPostgres.Replication.ASYNC);
    private final ReusedSessions toPrimary = new ReusedSessions(unpooled(primaryUrl()));
    private final ReusedSessions toReplica = new ReusedSessions(unpooled(replicaUrl()));

    private boolean isPromoted;

    private ReplicatedPostgres() throws Exception {}

    /** Starts both; the replica streams when this returns. */
    public static ReplicatedPostgres start() throws Exception {
        return new ReplicatedPostgres();
    }

    /** JDBC URL that connects to whichever of the two is the primary. */
    public String url() {
        return "jdbc:postgresql://localhost:" + servers.ports().get(0) + ",localhost:"
                + servers.ports().get(1) + "/postgres?targetServerType=primary&hostRecheckSeconds=0";
    }

    /** JDBC URL of the server that is the primary at first. */
    public String primaryUrl() {
        return "jdbc:postgresql://localhost:" + servers.ports().get(0) + "/postgres";
    }

    /** JDBC URL of the server that is a replica until it is promoted. */
    public String replicaUrl() {
        return "jdbc:postgresql://localhost:" + servers.ports().get(1) + "/postgres";
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
        servers.cutReplica();
        eventually(LIMIT, () -> assertThat(receivers()).isZero());
    }

    private int receivers() throws SQLException {
        return new JdbcTemplate(primary()).queryForObject("select count(*) from pg_stat_replication", Integer.class);
    }

    /** Ends the server that is the primary at first, at once, as when its machine is lost. */
    public void killPrimary() throws Exception {
        if (isPromoted) {
            servers.endFormer();
        } else {
            servers.crash();
        }
    }

    /** Makes the replica a primary with its own timeline. */
    public void promoteReplica() throws Exception {
        servers.promote();
        isPromoted = true;
    }

    @Override
    public void close() throws Exception {
        toPrimary.close();
        toReplica.close();
        servers.close();
        FileSystemUtils.deleteRecursively(folder);
    }
}
