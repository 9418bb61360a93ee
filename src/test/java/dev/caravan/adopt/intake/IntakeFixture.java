package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Connections;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.lab.servers.RelayGrants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.service.ServiceHelper;
import org.h2.jdbcx.JdbcConnectionPool;

/** A source in H2, an outbox, and holders of an intake whose rounds the test runs one by one. */
final class IntakeFixture implements AutoCloseable {
    /** The fields of the file that most tests use. */
    private static final String[] SHOP = {
        "intake: shop",
        "dataSource: shopDb",
        "table: shop",
        "pending: \"state = 0\"",
        "mark: \"state = 1\"",
        "message:",
        "  aggregateType: \"'order'\"",
        "  aggregateId: msg_key",
        "  type: topic",
        "  payload: data"
    };

    final Intake intake;
    final JdbcConnectionPool source;
    final DataSource outbox;
    private final String url;
    private final HikariDataSource pool;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final CamelContext context = new DefaultCamelContext();
    private final List<IntakeConsumer> consumers = new ArrayList<>();

    /** @param others lines of the file in place of those of the same field, or after the usual ones */
    IntakeFixture(String... others) throws Exception {
        intake = SourceFixture.intake(lines(others));
        source = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        source(
                "create table shop (id bigint generated always as identity primary key, msg_key varchar(600), topic varchar(600),"
                        + " data varchar(20000), state int not null default 0, error varchar(2000), attempts int)");
        PostgresServer server = TestPostgres.server();
        url = server.url(TestPostgres.databaseWithTables());
        pool = pool(server.user(), server.password());
        outbox = pool;
        context.start();
    }

    private static String[] lines(String... others) {
        Map<String, String> lines = new LinkedHashMap<>();
        Stream.of(SHOP, others)
                .flatMap(Arrays::stream)
                .forEach(line -> lines.put(line.substring(0, line.indexOf(':')), line));
        return lines.values().toArray(String[]::new);
    }

    private HikariDataSource pool(String user, String password) {
        HikariDataSource opened =
                Connections.of(url, user, password, OutboxSchema.PUBLIC).intakesPool();
        pools.add(opened);
        return opened;
    }

    /** Connections of a role that has the grants of a relay with intakes, and no more. */
    DataSource withGrants() throws SQLException {
        String role = "intakes_" + UUID.randomUUID().toString().replace("-", "");
        outbox("create role " + role + " login password 'secret'");
        outbox(RelayGrants.to(role));
        outbox("grant insert on outbox to " + role);
        return pool(role, "secret");
    }

    /** Executes statements in the source. */
    void source(String... statements) throws SQLException {
        try (Connection connection = source.getConnection()) {
            SourceFixture.execute(connection, statements);
        }
    }

    /** Inserts rows with keys k0, k1, k2 in turn, whose payloads are numbered from 1. */
    void rows(int count) throws SQLException {
        source("insert into shop (msg_key, topic, data) select 'k' || mod(x, 3), 'order.created', '{\"n\":' || x || '}'"
                + " from system_range(1, " + count + ")");
    }

    /** A holder that uses these connections. */
    IntakeConsumer holder(String relay, DataSource toOutbox, DataSource toSource) throws Exception {
        return holder(relay, toOutbox, toSource, Clock.SYSTEM);
    }

    IntakeConsumer holder(String relay, DataSource toOutbox, DataSource toSource, Clock clock) throws Exception {
        LaneConnections connections = new LaneConnections(toOutbox, new Histories());
        IntakeLoop loop = new IntakeLoop(
                intake,
                new IntakeStore(connections, intake, relay),
                new SourceConnection(() -> toSource, clock),
                clock);
        IntakeEndpoint endpoint = new IntakeEndpoint(context.getComponent("sql"), loop);
        endpoint.setCamelContext(context);
        endpoint.setStartScheduler(false);
        IntakeConsumer consumer = (IntakeConsumer) endpoint.createConsumer(endpoint);
        consumers.add(consumer);
        ServiceHelper.startService(consumer);
        return consumer;
    }

    IntakeConsumer holder(String relay) throws Exception {
        return holder(relay, outbox, source);
    }

    /** Lets the lease end, as if its holder had not renewed it for long. */
    void endLease() throws SQLException {
        outbox("update outbox_intake set lease_until = clock_timestamp() - interval '1 second'");
    }

    void outbox(String statement) throws SQLException {
        try (Connection connection = outbox.getConnection()) {
            Sql.execute(connection, statement);
        }
    }

    /** The texts of the first column of a query on the outbox. */
    List<String> outboxTexts(String query) throws SQLException {
        try (Connection connection = outbox.getConnection()) {
            return Sql.rows(connection, query, row -> row.getString(1));
        }
    }

    List<String> payloads() throws SQLException {
        return outboxTexts("select payload::text from outbox order by id");
    }

    Optional<String> stored(String column) throws SQLException {
        return Optional.ofNullable(
                outboxTexts("select " + column + "::text from outbox_intake").get(0));
    }

    List<String> sourceTexts(String query) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return Sql.rows(connection, query, row -> row.getString(1));
        }
    }

    /** Each row from 1 to this number is in the outbox once, in order, and no row is pending. */
    void assertCopied(int count) throws SQLException {
        List<String> expected = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            expected.add("{\"n\":" + n + "}");
        }
        assertThat(payloads()).containsExactlyElementsOf(expected);
        assertThat(sourceTexts("select id from shop where state = 0")).isEmpty();
        assertThat(stored("batch")).isEmpty();
    }

    @Override
    public void close() {
        consumers.forEach(ServiceHelper::stopService);
        context.stop();
        pools.forEach(HikariDataSource::close);
        source.dispose();
    }
}
