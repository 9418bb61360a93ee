package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.KilledCommand;
import dev.caravan.adopt.capture.CaptureRefusal;
import dev.caravan.adopt.capture.TakeOverState;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import dev.caravan.adopt.capture.TakeOvers;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.operate.audit.Actor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.camel.component.kafka.KafkaConstants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table is taken over while four writers insert and two pollers send. Each row is sent once, by a poller or by the relay.
 * {@code -Dseeds=10} for more runs.
 */
class TakeOverIT {
    private static final String TABLE =
            "create table emails (id bigint generated always as identity primary key, note text,"
                    + " sent boolean not null default false, attempts int not null default 0);"
                    + " create index on emails (id) where not sent; insert into emails (note) select 'old' from generate_series(1, 200)";
    private static final String FILE = """
            table: emails
            aggregate-type: email
            events: [{on: insert, type: email.requested}]
            take-over: {subscription: email, pending: not sent, mark: sent = true}
            """;
    private static final Actor BY = new Actor("test", Optional.empty());
    /** In the build, a step is killed after each of some statements. */
    private static final int STRIDE = Integer.getInteger("seeds", 1) > 1 ? 1 : 5;

    private static final int WRITERS = 4;
    private static final int POLLERS = 2;
    private static final String OF_POLLER = "poller ";
    private static final String OF_RELAY = "relay ";

    /** A step of the take-over, on connections of its own. */
    @FunctionalInterface
    private interface Step<T> {
        T run(TakeOvers takeOvers) throws Exception;
    }

    private final List<String> sends = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> failed = new CopyOnWriteArrayList<>();
    private final AtomicBoolean writing = new AtomicBoolean(true);
    private final AtomicBoolean polling = new AtomicBoolean(true);
    private final List<Thread> writers = new ArrayList<>();
    private final List<Thread> pollers = new ArrayList<>();

    @TempDir
    private Path folder;

    private TestOutbox database;
    private Path file;
    private Random random;

    static IntStream seeds() {
        return IntStream.rangeClosed(1, Integer.getInteger("seeds", 1));
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("seeds")
    void beside_a_running_poller(int seed) throws Exception {
        try (TestOutbox used = begin(seed)) {
            awaitRows(250);
            killedUntilDone(takeOvers -> takeOvers.begin(file, BY));
            awaitMessages(30);
            killedUntilDone(takeOvers -> takeOvers.undo(file, BY)); // the pollers continue as before
            assertThat(database.number("select count(*) from outbox") + installed())
                    .isZero();
            assertThat(database.number("select count(*) from outbox_subscription"))
                    .isZero();
            long sent = sends.size();
            eventually(() -> assertThat(sends.size()).isGreaterThan((int) sent + 20));

            killedUntilDone(takeOvers -> takeOvers.begin(file, BY));
            try (TestRelay relay = relay()) {
                eventually(() -> assertThat(state().pending()).isZero());
                awaitMessages(30);
                end(polling, pollers);
                killedUntilDone(takeOvers -> takeOvers.finish(file, false, BY));
                awaitRows(50);
                end(writing, writers);
                awaitDeliveries();
            }
        }

        assertThat(failed).isEmpty();
        List<String> inOrder = List.copyOf(sends);
        int first = inOrder.indexOf(inOrder.stream()
                .filter(send -> send.startsWith(OF_RELAY))
                .findFirst()
                .orElseThrow());
        assertThat(inOrder.subList(first, inOrder.size())).allMatch(send -> send.startsWith(OF_RELAY));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void with_the_poller_stopped(int seed) throws Exception {
        try (TestOutbox used = begin(seed)) {
            awaitRows(250);
            end(polling, pollers);
            awaitRows(100);

            killedUntilDone(takeOvers -> takeOvers.finish(file, false, BY));

            try (TestRelay relay = relay()) {
                awaitRows(100);
                end(writing, writers);
                awaitDeliveries();
            }
            List<Long> rows =
                    database.jdbc().queryForList("select aggregate_id::bigint from outbox order by id", Long.class);
            int copied = (int) database.number("select detail->>'rows' from outbox_audit where action = 'take-over'");
            assertThat(rows.subList(0, copied)).hasSizeGreaterThan(20).isSorted();
        }
        assertThat(failed).isEmpty();
    }

    @Test
    void killed_after_each_statement_of_each_step_nothing_is_lost_or_duplicated() throws Exception {
        random = new Random(1);
        try (TestOutbox used = TestOutbox.create()) {
            database = used;
            database.execute(TABLE);
            file = Files.writeString(folder.resolve("emails.yaml"), FILE);

            killedAfterEachStatement(takeOvers -> takeOvers.begin(file, BY), Stage.DRAINING);
            database.execute("insert into emails (note) select 'new' from generate_series(1, 100)");
            killedAfterEachStatement(takeOvers -> takeOvers.undo(file, BY), Stage.NOT_BEGUN);
            killedAfterEachStatement(takeOvers -> takeOvers.begin(file, BY), Stage.DRAINING);
            killedAfterEachStatement(takeOvers -> takeOvers.finish(file, true, BY), Stage.COMPLETE);
            database.execute("update outbox_subscription set paused = true");
            killedAfterEachStatement(takeOvers -> takeOvers.undo(file, BY), Stage.NOT_BEGUN);
            killedAfterEachStatement(takeOvers -> takeOvers.finish(file, false, BY), Stage.COMPLETE);
        }
    }

    private void killedAfterEachStatement(Step<?> step, Stage done) throws Exception {
        KilledCommand beforeCommit = KilledCommand.atCommit(database.unpooled(), false);
        assertThat(isKilled(step, beforeCommit)).isTrue();
        for (int statement = 1; statement < beforeCommit.executed(); statement += STRIDE) {
            assertThat(isKilled(step, new KilledCommand(database.unpooled(), statement, true)))
                    .isTrue();
            assertConsistent("killed after statement " + statement);
        }
        assertThat(state().stage()).isNotEqualTo(done);
        isKilled(step, KilledCommand.atCommit(database.unpooled(), true));
        assertThat(state().stage()).isEqualTo(done);
        isKilled(step, new KilledCommand(database.unpooled(), 0, true)); // repeated without being killed
        assertConsistent("repeated");
        assertThat(state().stage()).isEqualTo(done);
    }

    private void assertConsistent(String when) throws SQLException {
        assertThat(database.number(
                        "select (select count(*) from emails where not sent) + (select count(*) from outbox)"))
                .as("each row is pending or a message, " + when)
                .isEqualTo(database.number("select count(*) from emails"));
        assertThat(installed()).isIn(0L, 6L);
        assertThat(database.number("select count(*) from outbox_subscription")).isEqualTo(installed() / 6);
    }

    private TestOutbox begin(int seed) throws Exception {
        random = new Random(seed);
        database = TestOutbox.create();
        database.execute(TABLE);
        file = Files.writeString(folder.resolve("emails.yaml"), FILE);
        for (int i = 0; i < WRITERS; i++) {
            long own = random.nextLong();
            writers.add(new Thread(() -> write(new Random(own))));
        }
        for (int i = 0; i < POLLERS; i++) {
            long own = random.nextLong();
            pollers.add(new Thread(() -> poll(new Random(own))));
        }
        writers.forEach(Thread::start);
        pollers.forEach(Thread::start);
        return database;
    }

    /** Transactions of several rows, some of which end late or are rolled back. */
    private void write(Random own) {
        try (Connection connection = database.unpooled().getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (writing.get()) {
                for (int rows = own.nextInt(3); rows >= 0; rows--) {
                    statement.execute("insert into emails (note) values ('new')");
                    statement.execute("select pg_sleep(" + own.nextInt(10) + " / 1000.0)");
                }
                if (own.nextInt(5) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            }
        } catch (SQLException e) {
            failed.add(e);
        }
    }

    /** Marks rows after it has sent them, in one transaction; some attempts fail. */
    private void poll(Random own) {
        try (Connection connection = database.unpooled().getConnection();
                var select = connection.prepareStatement(
                        "select id from emails where not sent order by id for update skip locked limit 10");
                var mark = connection.prepareStatement(
                        "update emails set sent = ?, attempts = attempts + 1 where id = ?");
                var pause = connection.prepareStatement("select pg_sleep(0.01)")) {
            connection.setAutoCommit(false);
            while (polling.get()) {
                try (var rows = select.executeQuery()) {
                    while (rows.next()) {
                        boolean sent = own.nextInt(10) > 0;
                        if (sent) {
                            sends.add(OF_POLLER + rows.getLong(1));
                        }
                        mark.setBoolean(1, sent);
                        mark.setLong(2, rows.getLong(1));
                        mark.executeUpdate();
                    }
                }
                connection.commit();
                pause.execute(); // otherwise the pollers of an empty table would use all processor time
                connection.commit();
            }
        } catch (SQLException e) {
            failed.add(e);
        }
    }

    private TestRelay relay() throws Exception {
        return TestRelay.start(
                database,
                "email?types=email.*",
                exchange -> sends.add(OF_RELAY + exchange.getMessage().getHeader(KafkaConstants.KEY, String.class)));
    }

    /** Kills the step at some random statements, and runs it again. */
    private void killedUntilDone(Step<?> step) throws Exception {
        int statement = 0;
        boolean killed = true;
        while (killed) {
            statement += 4 + random.nextInt(12);
            killed = isKilled(step, new KilledCommand(database.unpooled(), statement, random.nextBoolean()));
        }
    }

    private static boolean isKilled(Step<?> step, KilledCommand command) throws Exception {
        try {
            step.run(new TakeOvers(command, Clock.SYSTEM));
            return false;
        } catch (KilledCommand.Killed e) {
            return true;
        } catch (CaptureRefusal e) {
            boolean wasUndone = e.getMessage().contains("There is no take-over");
            boolean killedSessionHasLock = e.getMessage().contains("Another process is running a step");
            assertThat(wasUndone || killedSessionHasLock).as(e.getMessage()).isTrue();
            return killedSessionHasLock;
        }
    }

    private TakeOverState state() throws SQLException {
        return new TakeOvers(database.dataSource(), Clock.SYSTEM).state(file);
    }

    private void awaitRows(int more) throws Exception {
        long goal = database.number("select count(*) from emails") + more;
        eventually(
                () -> assertThat(database.number("select count(*) from emails")).isGreaterThan(goal));
    }

    private void awaitMessages(int messages) throws Exception {
        eventually(
                () -> assertThat(database.number("select count(*) from outbox")).isGreaterThan(messages));
    }

    /** Each row was sent once. */
    private void awaitDeliveries() throws Exception {
        List<String> rows = database.jdbc().queryForList("select id::text from emails order by id", String.class);
        assertThat(database.number("select count(*) from emails where not sent"))
                .isZero();
        eventually(() -> assertThat(sends.size()).isGreaterThanOrEqualTo(rows.size()));
        assertThat(sends).hasSize(rows.size());
        assertThat(new HashSet<>(
                        sends.stream().map(send -> send.replaceAll("\\D", "")).toList()))
                .hasSameElementsAs(rows);
    }

    private long installed() throws SQLException {
        return database.number("select (select count(*) from pg_proc where proname like 'outbox_capture%')"
                + " + (select count(*) from pg_trigger where tgname like '%outbox_capture%')");
    }

    private static void end(AtomicBoolean running, List<Thread> threads) throws InterruptedException {
        running.set(false);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
