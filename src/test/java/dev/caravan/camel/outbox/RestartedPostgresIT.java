package dev.caravan.camel.outbox;

import static dev.caravan.camel.outbox.SteppedLane.ids;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.StoppablePostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** After a restart Postgres assigns virtual transaction ids again, and a prepared transaction has another one. */
@Tag("long")
class RestartedPostgresIT {
    /** So that a session after the restart can get to the virtual id of a writer. */
    private static final int TRANSACTIONS_BEFORE = 200;

    private static final int SESSIONS = 30;

    @TempDir
    private Path folder;

    private final List<Connection> sessions = new ArrayList<>();
    private StoppablePostgres postgres;
    private DataSource database;
    private JdbcTemplate jdbc;

    @BeforeEach
    void start() throws Exception {
        postgres = new StoppablePostgres(folder.resolve("data"));
        database = Database.unpooled(postgres.url(postgres.port()), "postgres", "");
        jdbc = new JdbcTemplate(database);
        jdbc.execute("alter system set max_prepared_transactions = 10");
        postgres.stop();
        postgres.start();
        new Schema(database).apply();
    }

    @AfterEach
    void stop() throws Exception {
        for (Connection session : sessions) {
            session.close();
        }
        postgres.close();
    }

    @Test
    void a_transaction_with_the_virtual_id_of_one_before_a_crash_is_not_confused_with_it() throws Exception {
        try (HikariDataSource pool = pool()) {
            SteppedLane relay = new SteppedLane(pool);
            ApplicationTransaction writer = writer();
            long open = writer.insert("a");
            String virtualId = virtualIdOf(writer);
            insert("b");
            relay.turnForSeconds(3);
            assertThat(relay.lane().nextRead().openTransactions()).isNotEmpty();

            writer.commit();
            crash(pool);
            ApplicationTransaction another = transactionWith(virtualId);
            another.insert("c");
            relay.look();
            long next = insert("a");

            assertThat(idsOfTurns(relay, 3)).containsExactly(open, next);
        }
    }

    @Test
    void a_prepared_transaction_is_waited_for_beside_one_that_has_got_its_virtual_id() throws Exception {
        try (HikariDataSource pool = pool()) {
            SteppedLane relay = new SteppedLane(pool);
            ApplicationTransaction writer = writer();
            long open = writer.insert("a");
            String virtualId = virtualIdOf(writer);
            writer.run("prepare transaction 'before-the-crash'");
            insert("b");
            relay.turnForSeconds(3);
            assertThat(relay.lane().nextRead().openTransactions()).isNotEmpty();

            crash(pool);
            ApplicationTransaction another = transactionWith(virtualId);
            another.insert("c");
            relay.turnForSeconds(3);
            jdbc.execute("commit prepared 'before-the-crash'");
            long next = insert("a");

            assertThat(idsOfTurns(relay, 3)).containsExactly(open, next);
        }
    }

    @Test
    void what_others_roll_back_beside_a_prepared_transaction_is_settled_before_and_after_a_crash() throws Exception {
        try (HikariDataSource pool = pool()) {
            SteppedLane relay = new SteppedLane(pool);
            ApplicationTransaction writer = writer();
            writer.insert("a");
            writer.run("prepare transaction 'for-days'");
            insert("b");
            relay.turnForSeconds(3);
            rollBack();
            insert("b");
            relay.turnForSeconds(5);
            assertThat(relay.lane().snapshot().missingIds()).isEqualTo(1);

            crash(pool);
            relay.turnForSeconds(3);
            rollBack();
            insert("b");
            relay.turnForSeconds(5);
            assertThat(relay.lane().snapshot().missingIds()).isEqualTo(1);

            jdbc.execute("rollback prepared 'for-days'");
            relay.turnForSeconds(3);
            assertThat(relay.lane().snapshot().missingIds()).isZero();
        }
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database);
        pool.setMaximumPoolSize(3);
        pool.setMinimumIdle(0); // connects when the relay reads, not while a test takes virtual ids after a crash
        return pool;
    }

    private void crash(HikariDataSource pool) throws Exception {
        postgres.crash();
        postgres.start();
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    /** An open transaction with a virtual id that is not among the first ones of its session. */
    private ApplicationTransaction writer() throws SQLException {
        Connection session = session();
        for (int n = 0; n < TRANSACTIONS_BEFORE; n++) {
            virtualIdOf(session);
        }
        return new ApplicationTransaction(session);
    }

    /** The same with a virtual id of before a crash. */
    private ApplicationTransaction transactionWith(String virtualId) throws SQLException {
        String place = virtualId.substring(0, virtualId.indexOf('/') + 1);
        Connection session = session();
        while (!virtualIdOf(session).startsWith(place)) {
            assertThat(sessions).hasSizeLessThan(SESSIONS);
            session = session();
        }
        long number = Long.parseLong(virtualId.substring(place.length()));
        while (Long.parseLong(virtualIdOf(session).substring(place.length())) < number - 1) {
            // each query is a transaction
        }
        ApplicationTransaction transaction = new ApplicationTransaction(session);
        assertThat(virtualIdOf(transaction)).isEqualTo(virtualId);
        return transaction;
    }

    private Connection session() throws SQLException {
        Connection session = database.getConnection();
        sessions.add(session);
        return session;
    }

    private static String virtualIdOf(ApplicationTransaction transaction) throws SQLException {
        return virtualIdOf(transaction.connection());
    }

    private static String virtualIdOf(Connection session) throws SQLException {
        try (var statement = session.createStatement();
                var row = statement.executeQuery("select virtualxid from pg_locks"
                        + " where locktype = 'virtualxid' and pid = pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }

    private long insert(String key) {
        return jdbc.queryForObject(
                "insert into outbox (aggregate_type, aggregate_id, type) values ('order', ?, 'order.created') returning id",
                Long.class,
                key);
    }

    private void rollBack() throws SQLException {
        ApplicationTransaction failing = new ApplicationTransaction(session());
        failing.insert("r");
        failing.rollback();
    }

    private static List<Long> idsOfTurns(SteppedLane relay, int turns) throws SQLException {
        List<Long> found = new ArrayList<>();
        for (int n = 0; n < turns; n++) {
            var batch = relay.turn();
            if (batch.ended().isEmpty()) {
                found.addAll(ids(batch));
            }
        }
        return found;
    }
}
