package dev.caravan.lab.bench.run;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.Await;
import dev.caravan.operate.partition.Partitions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A database with the tables of Caravan, for one run. */
public final class Outbox implements AutoCloseable {
    private static final int PARTITION_SIZE = 1_000_000;
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final String OF_RELAYS =
            "pg_stat_activity where datname = current_database() and application_name = 'caravan'";

    private final String url;
    private final String user;
    private final String password;
    private final DataSource dataSource;
    private final Connection connection;

    /** Creates the tables in an empty database. */
    Outbox(String url, String user, String password) throws SQLException {
        this.url = url;
        this.user = user;
        this.password = password;
        dataSource = Database.unpooled(url, user, password);
        new Schema(dataSource).apply();
        connection = dataSource.getConnection();
    }

    /** Creates a connection for each call. */
    public DataSource dataSource() {
        return dataSource;
    }

    public String url() {
        return url;
    }

    public String user() {
        return user;
    }

    public String password() {
        return password;
    }

    /** A new connection, which the caller closes. */
    public Connection connect() throws SQLException {
        return dataSource.getConnection();
    }

    /** Inserts messages in one transaction, then vacuums and checkpoints so that the server does not do it during a run. */
    public void fill(Content content) throws SQLException {
        insert(content);
        execute("vacuum (freeze, analyze) outbox");
        execute("checkpoint");
    }

    /** Inserts messages in one transaction. */
    public void insert(Content content) throws SQLException {
        insert(content, 1, content.messages());
    }

    /** Inserts messages from a number on in transactions of this many. */
    public void insert(Content content, int from, int step) throws SQLException {
        makePartitions(content.messages());
        try (var insert = connection.prepareStatement(BenchSql.read("fill"))) {
            insert.setInt(1, content.keys());
            insert.setInt(2, Math.max(1, content.bytes() - 30));
            insert.setInt(3, content.poisonEvery());
            insert.setInt(4, content.heldEvery());
            for (int first = from; first <= content.messages(); first += step) {
                insert.setInt(5, first);
                insert.setInt(6, Math.min(content.messages(), first + step - 1));
                insert.execute();
            }
        }
    }

    /** Creates the partitions for this many messages. */
    public void makePartitions(int messages) throws SQLException {
        new Partitions(dataSource, PARTITION_SIZE, messages / PARTITION_SIZE + 2, Clock.SYSTEM).makeAhead();
    }

    public void execute(String sql) throws SQLException {
        Sql.execute(connection, sql);
    }

    /** The write-ahead log position of the server, in bytes. */
    public long walBytes() throws SQLException {
        return Long.parseLong(text("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint"));
    }

    /** The first value of the first row; the word null when there is no row. */
    public String text(String query) throws SQLException {
        List<String> found = Sql.rows(connection, query, row -> String.valueOf(row.getString(1)));
        return found.isEmpty() ? "null" : found.get(0);
    }

    /** The number of rows of a table. */
    public long count(String table) throws SQLException {
        return Long.parseLong(text("select count(*) from " + table));
    }

    /** The id of the newest message; 0 if there is none. */
    public long maxId() throws SQLException {
        return Long.parseLong(text("select coalesce(max(id), 0) from outbox"));
    }

    /** Waits until all subscriptions have passed all messages. Messages may still wait for another attempt. */
    public void awaitPassed(int subscriptions, Program relay) throws Exception {
        await("everything is passed", relay, () -> hasPassed(subscriptions));
    }

    /** Waits until all subscriptions have delivered all messages. */
    public void awaitDelivered(int subscriptions, Program relay) throws Exception {
        await("everything is delivered", relay, () -> hasPassed(subscriptions) && count("outbox_retry") == 0);
    }

    /** Whether a subscription has read the newest message; there may be gaps. */
    public boolean hasReadAll() throws SQLException {
        return text("select max(position) >= (select max(id) from outbox) from outbox_subscription")
                .equals("t");
    }

    /**
     * Processor time that the open connections of relays to this database have used on the server; zero if the server runs on
     * another machine.
     */
    public Duration serverCpu() throws SQLException {
        return Sql.rows(connection, "select pid from " + OF_RELAYS, row -> row.getLong(1)).stream()
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** The number of open connections of relays to this database. */
    public long connectionsOfRelays() throws SQLException {
        return count(OF_RELAYS);
    }

    private boolean hasPassed(int subscriptions) throws SQLException {
        return Sql.text(BenchSql.read("passed"))
                .with("subscriptions", subscriptions)
                .first(connection, row -> row.getBoolean(1))
                .orElseThrow();
    }

    /** Waits for a condition while a program runs. Fails with its log when it has ended. */
    public void await(String what, Program worker, java.util.concurrent.Callable<Boolean> condition) throws Exception {
        Await.until(what, LIMIT, () -> {
            worker.requireAlive();
            return condition.call();
        });
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
