package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.TestPostgres;
import dev.caravan.WrittenLog;
import dev.caravan.base.clock.Clock;
import dev.caravan.lab.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.camel.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Rows are copied once, in order, and marked, whatever fails. */
class IntakeCopyIT {
    private IntakeFixture shop;

    @AfterEach
    void close() {
        shop.close();
    }

    private void shop(String... more) throws Exception {
        shop = new IntakeFixture(more);
    }

    @Test
    void rows_are_copied_in_order_and_marked() throws Exception {
        shop("batch: 4");
        shop.rows(10);
        IntakeConsumer holder = shop.holder("one");

        assertThat(holder.poll()).isEqualTo(1); // full: the next round follows at once
        assertThat(holder.poll()).isEqualTo(1);
        assertThat(holder.poll()).isZero();

        shop.assertCopied(10);
        assertThat(shop.outboxTexts(
                        "select aggregate_type || '/' || aggregate_id || ' ' || type from outbox order by id"))
                .startsWith("order/k1 order.created", "order/k2 order.created", "order/k0 order.created");
        assertThat(shop.stored("copied")).contains("10");
        assertThat(shop.stored("relay")).contains("one");
    }

    /** The driver of Postgres would keep the whole batch in memory otherwise: only in a transaction its rows come from a named portal. */
    @Test
    void a_read_from_another_postgres_takes_its_rows_in_parts() throws Exception {
        shop("  aggregateId: (select max(name) from pg_catalog.pg_cursors)");
        PostgresServer server = TestPostgres.server();
        DataSource source = server.dataSource(server.createDatabase());
        try (Connection connection = source.getConnection()) {
            SourceFixture.execute(
                    connection,
                    "create table shop (id bigint primary key, topic text, data text, state int default 0)",
                    "insert into shop select n, 'order.created', n::text from generate_series(1, 300) n");
        }
        IntakeConsumer holder = shop.holder("one", shop.outbox, source);

        holder.poll();
        holder.poll();

        assertThat(shop.payloads()).hasSize(300);
        assertThat(shop.outboxTexts("select distinct left(aggregate_id, 2) from outbox"))
                .containsExactly("C_");
        assertThat(shop.outboxTexts("select 1 from outbox_dead_letter")).isEmpty();
    }

    @Test
    void a_second_relay_waits_until_the_first_one_releases_the_intake() throws Exception {
        shop();
        shop.rows(2);
        IntakeConsumer first = shop.holder("one");
        IntakeConsumer second = shop.holder("two");
        first.poll();
        shop.rows(2);

        second.poll();
        assertThat(shop.payloads()).hasSize(2);
        ServiceHelper.stopService(first);
        second.poll();

        assertThat(shop.payloads()).hasSize(4);
        assertThat(shop.stored("relay")).contains("two");
    }

    @Test
    void a_holder_that_was_fenced_copies_nothing_and_marks_nothing() throws Exception {
        shop();
        IntakeConsumer first = shop.holder("one");
        IntakeConsumer second = shop.holder("two");
        first.poll();
        shop.endLease();
        second.poll();
        shop.rows(3);

        first.poll();

        assertThat(shop.payloads()).isEmpty();
        assertThat(shop.sourceTexts("select id from shop where state = 0")).hasSize(3);
        second.poll();
        shop.assertCopied(3);
    }

    /** Its epoch must not be that of the new one, which would count from the same number. */
    @Test
    void a_holder_that_wakes_up_after_the_intake_was_removed_and_created_again_copies_nothing() throws Exception {
        shop();
        IntakeConsumer first = shop.holder("one");
        IntakeConsumer second = shop.holder("two");
        first.poll();
        shop.outbox("delete from outbox_intake");
        second.poll();
        shop.rows(3);

        first.poll();

        assertThat(shop.payloads()).isEmpty();
        assertThat(shop.stored("relay")).contains("two");
        second.poll();
        shop.assertCopied(3);
    }

    /** The file was changed after a relay had died before its mark: rows of the other table with the same keys were never copied. */
    @Test
    void keys_of_a_batch_are_not_marked_in_another_table() throws Exception {
        shop();
        shop.rows(3);
        DataSource dying = new OnUpdate(shop.source, () -> {
            throw new SQLException("The process is dead", "08006");
        });
        shop.holder("one", shop.outbox, dying).poll();
        shop.endLease();
        shop.outbox("update outbox_intake set source = 'shopDb former'");
        IntakeConsumer second = shop.holder("two");

        second.poll();
        second.poll();

        assertThat(shop.sourceTexts("select id from shop where state = 0")).hasSize(3);
        assertThat(shop.payloads()).hasSize(3);
        assertThat(shop.stored("halted")).contains("true");
        assertThat(shop.stored("error").orElse("")).contains("3 rows of shopDb former were copied");
        shop.outbox("update outbox_intake set source = 'shopDb shop'");
        shop.holder("three").poll();
        shop.assertCopied(3);
    }

    @Test
    void keys_of_a_batch_belong_to_the_columns_of_the_file() throws Exception {
        shop("key: id");

        assertThat(IntakeStore.source(shop.intake)).isEqualTo("shopDb shop (id)");
    }

    /** The first mark has ended pending; that of a later row does not, for example because of a trigger. */
    @Test
    void a_mark_that_does_not_end_pending_of_a_later_row_halts_the_intake() throws Exception {
        shop("pending: \"state = 0 or attempts = 7\"");
        shop.rows(3);
        IntakeConsumer holder = shop.holder("one");
        holder.poll();
        shop.source("insert into shop (msg_key, topic, data, attempts) values ('k', 'order.created', '{}', 7)");

        for (int round = 0; round < 6; round++) {
            holder.poll();
        }

        assertThat(shop.payloads()).hasSize(5);
        assertThat(shop.stored("halted")).contains("true");
        assertThat(shop.stored("error").orElse("")).contains("does not end the condition pending");
    }

    @Test
    void a_relay_that_stood_by_does_not_continue_an_intake_that_was_halted() throws Exception {
        shop();
        IntakeConsumer first = shop.holder("one");
        IntakeConsumer second = shop.holder("two");
        first.poll();
        second.poll();
        shop.outbox("update outbox_intake set halted = true, error = 'stop', relay = null, lease_until = null");

        second.poll();

        assertThat(shop.stored("halted")).contains("true");
    }

    @Test
    void a_failure_is_over_when_rows_are_copied_although_more_are_pending() throws Exception {
        shop("batch: 4");
        shop.rows(10);
        shop.outbox("insert into outbox_intake (intake, source, failing_since, error)"
                + " values ('shop', 'shopDb shop', clock_timestamp(), 'Connection refused')");

        assertThat(shop.holder("one").poll()).isEqualTo(1);

        assertThat(shop.stored("failing_since")).isEmpty();
        assertThat(shop.stored("error")).isEmpty();
    }

    /** The next holder marks the batch; the application needs a row again; then the first holder wakes up. */
    @Test
    void a_holder_that_wakes_up_before_its_mark_does_not_mark_a_row_that_is_pending_again() throws Exception {
        shop();
        shop.rows(3);
        AtomicLong asleep = new AtomicLong();
        Clock clock = () -> System.nanoTime() + asleep.get();
        IntakeConsumer second = shop.holder("two");
        DataSource sleepy = new OnUpdate(shop.source, () -> {
            shop.endLease();
            second.poll();
            shop.source("update shop set state = 0 where id = 2");
            asleep.set(TimeUnit.MINUTES.toNanos(1));
        });
        IntakeConsumer first = shop.holder("one", shop.outbox, sleepy, clock);

        first.poll();

        assertThat(shop.sourceTexts("select id from shop where state = 0")).containsExactly("2");
        second.poll();
        assertThat(shop.payloads()).containsExactly("{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"n\":2}");
    }

    private static boolean isMark(ProxiedConnections.Call call) {
        return call.isExecution()
                && call.text().startsWith("update")
                && call.text().contains("?");
    }

    /** Calls something before the first update. */
    private static final class OnUpdate extends ProxiedConnections {
        private final ThrowingRunnable<Exception> interruption;
        private boolean isOver;

        OnUpdate(DataSource source, ThrowingRunnable<Exception> interruption) {
            super(source);
            this.interruption = interruption;
        }

        @Override
        protected Object on(Call call) throws Exception {
            if (!isOver && isMark(call)) {
                isOver = true;
                interruption.run();
            }
            return call.proceed();
        }
    }

    @Test
    @Tag("long")
    void nothing_is_lost_or_doubled_wherever_a_holder_dies() throws Exception {
        int before = runWithCrash(Crash.When.BEFORE_IT);
        int after = runWithCrash(Crash.When.AFTER_IT);

        assertThat(before).isGreaterThan(10);
        assertThat(after).isGreaterThan(10);
    }

    /** Returns the number of places at which a holder died. */
    private int runWithCrash(Crash.When when) throws Exception {
        shop("batch: 4");
        for (int place = 1; true; place++) {
            shop.outbox("truncate outbox, outbox_intake, outbox_dead_letter");
            shop.source("truncate table shop restart identity");
            shop.rows(6);
            shop.source("insert into shop (msg_key, topic, data) values ('k', null, '{}')");
            Crash crash = new Crash(place, when);
            IntakeConsumer first = shop.holder("one", crash.of(shop.outbox), crash.of(shop.source));
            for (int round = 0; round < 3 && !crash.isOver(); round++) {
                first.poll();
            }
            if (crash.isOver()) {
                shop.outbox("update outbox_intake set lease_until = clock_timestamp() - interval '1 second'");
            } else {
                ServiceHelper.stopService(first);
            }
            IntakeConsumer second = shop.holder("two");
            for (int round = 0; round < 3; round++) {
                second.poll();
            }
            shop.assertCopied(6);
            assertThat(shop.outboxTexts("select aggregate_id from outbox_dead_letter"))
                    .containsExactly("7");
            ServiceHelper.stopService(second);
            if (!crash.isOver()) {
                shop.close();
                return place - 1;
            }
        }
    }

    /** The process of a holder dies at a statement or commit with a given number, on either side. */
    private static final class Crash {
        enum When {
            BEFORE_IT,
            /** It is executed. */
            AFTER_IT
        }

        private final int place;
        private final When when;
        private final AtomicInteger executed = new AtomicInteger();

        Crash(int place, When when) {
            this.place = place;
            this.when = when;
        }

        boolean isOver() {
            return executed.get() >= place;
        }

        DataSource of(DataSource connections) {
            return new ProxiedConnections(connections) {
                @Override
                protected Object on(Call call) throws Exception {
                    boolean isStep = call.isExecution() || call.method().equals("commit");
                    if (call.method().equals("close")
                            || call.method().equals("isClosed")
                            || call.method().equals("unwrap")
                            || call.method().equals("isWrapperFor")) {
                        return call.proceed();
                    }
                    int number = isStep ? executed.incrementAndGet() : executed.get();
                    if (isStep && number == place && when == When.AFTER_IT) {
                        call.proceed();
                    }
                    if (number > place || isStep && number == place) {
                        die(call.connection());
                        throw new SQLException("The process is dead", "08006");
                    }
                    return call.proceed();
                }
            };
        }

        /** What is open is rolled back, as by the server. */
        private static void die(Connection connection) throws SQLException {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }

    @Test
    void a_commit_of_the_copy_whose_answer_is_lost_is_not_repeated() throws Exception {
        shop();
        shop.rows(3);
        Crash crash = new Crash(Integer.MAX_VALUE, Crash.When.BEFORE_IT);
        AtomicInteger copies = new AtomicInteger();
        DataSource losing = new ProxiedConnections(shop.outbox) {
            @Override
            protected Object on(Call call) throws Exception {
                Object result = call.proceed();
                if (call.isExecution() && call.text().contains("appended as") && copies.incrementAndGet() == 1) {
                    throw new SQLException("An I/O error occurred", "08006");
                }
                return result;
            }
        };
        IntakeConsumer holder = shop.holder("one", losing, crash.of(shop.source));

        holder.poll();
        assertThat(shop.payloads()).hasSize(3);
        holder.poll();
        holder.poll();

        shop.assertCopied(3);
    }

    @Test
    void a_failure_of_the_outbox_that_can_be_stored_is_shown_until_rows_are_copied() throws Exception {
        shop();
        shop.rows(3);
        shop.outbox("create function refuse() returns trigger language plpgsql as"
                + " $$ begin raise exception 'not now' using errcode = '42501'; end $$");
        shop.outbox("create trigger refuse before insert on outbox for each row execute function refuse()");
        IntakeConsumer holder = shop.holder("one");

        holder.poll();

        assertThat(shop.stored("error").orElse("")).contains("the database of the outbox failed: ", "not now");
        assertThat(shop.stored("failing_since")).isPresent();
        shop.outbox("drop trigger refuse on outbox");
        holder.poll();
        shop.assertCopied(3);
        assertThat(shop.stored("error")).isEmpty();
    }

    /** In MariaDB it would wait for other pending rows that are locked. */
    @Test
    void a_repeated_mark_of_rows_that_are_all_marked_updates_nothing() throws Exception {
        shop();
        shop.rows(3);
        shop.holder("one").poll();
        shop.outbox("update outbox_intake set batch = '[[1], [2], [3]]'");
        shop.endLease();
        AtomicInteger updates = new AtomicInteger();
        DataSource counted = new OnUpdate(shop.source, updates::incrementAndGet);

        shop.holder("two", shop.outbox, counted).poll();

        assertThat(updates).hasValue(0);
        shop.assertCopied(3);
    }

    /** A role that may not read the history of the server stands for another server: its history has another name. */
    @Test
    void an_outbox_whose_server_was_replaced_is_reported_because_copied_rows_may_be_lost() throws Exception {
        shop();
        shop.outbox("revoke execute on function pg_control_system() from public");
        DelegatingDataSource outbox = new DelegatingDataSource(shop.outbox);
        IntakeConsumer holder = shop.holder("one", outbox, shop.source);
        holder.poll();
        outbox.setTargetDataSource(shop.withGrants());
        shop.rows(3);

        try (WrittenLog log = WrittenLog.of(IntakeLoop.class)) {
            holder.poll();
            holder.poll();
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("was replaced by a replica or a backup"))
                    .hasSize(1);
        }
        shop.assertCopied(3);
    }

    @Test
    void a_source_that_fails_is_tried_again_and_its_failure_is_stored_until_it_works() throws Exception {
        shop();
        shop.rows(3);
        CountDownLatch available = new CountDownLatch(1);
        DataSource failing = new ProxiedConnections(shop.source) {
            @Override
            protected Object on(Call call) throws Exception {
                if (isMark(call) && available.getCount() > 0) {
                    throw new SQLException("Connection refused", "08001");
                }
                return call.proceed();
            }
        };
        IntakeConsumer holder = shop.holder("one", shop.outbox, failing);

        holder.poll();

        assertThat(shop.stored("error").orElse("")).contains("Connection refused");
        assertThat(shop.stored("failing_since")).isPresent();
        assertThat(shop.payloads()).hasSize(3);
        available.countDown();
        holder.poll();
        shop.assertCopied(3);
        assertThat(shop.stored("error")).isEmpty();
        assertThat(shop.stored("failing_since")).isEmpty();
    }

    @Test
    void a_mark_that_does_not_end_pending_halts_the_intake_until_the_relay_starts_again() throws Exception {
        shop("mark: \"attempts = 1\"");
        shop.rows(3);
        IntakeConsumer holder = shop.holder("one");

        holder.poll();
        holder.poll();

        assertThat(shop.payloads()).hasSize(3);
        assertThat(shop.sourceTexts("select attempts from shop where attempts is not null"))
                .isEmpty();
        assertThat(shop.stored("halted")).contains("true");
        assertThat(shop.stored("error").orElse("")).contains("does not end the condition pending: state = 0");
        IntakeConsumer started = shop.holder("two");
        started.poll();
        assertThat(shop.payloads()).hasSize(3);
        assertThat(shop.stored("halted")).contains("true");
    }

    @Test
    void a_row_that_was_processed_by_another_poller_is_reported() throws Exception {
        shop();
        shop.rows(3);
        DataSource together = new OnUpdate(shop.source, () -> shop.source("update shop set state = 9 where id = 2"));
        try (WrittenLog log = WrittenLog.of(IntakeLoop.class)) {
            shop.holder("one", shop.outbox, together).poll();
            assertThat(log.lines()).anyMatch(line -> line.contains("1 row was pending when it was read"));
        }
        assertThat(shop.sourceTexts("select state from shop order by id")).containsExactly("1", "9", "1");
    }

    @Test
    void a_row_that_was_deleted_after_it_was_read_is_copied_once() throws Exception {
        shop();
        shop.rows(3);
        DataSource deleted = new OnUpdate(shop.source, () -> shop.source("delete from shop where id = 2"));
        IntakeConsumer holder = shop.holder("one", shop.outbox, deleted);
        holder.poll();
        holder.poll();

        shop.assertCopied(3);
    }

    @Test
    void a_row_that_the_application_sets_to_pending_again_is_a_new_message_with_the_same_id() throws Exception {
        shop();
        shop.rows(1);
        IntakeConsumer holder = shop.holder("one");
        holder.poll();
        shop.source("update shop set state = 0");
        holder.poll();

        assertThat(shop.payloads()).hasSize(2);
        assertThat(shop.outboxTexts("select distinct message_id::text from outbox"))
                .hasSize(1);
    }

    @Test
    void a_paused_intake_reads_nothing_and_continues_when_it_is_resumed() throws Exception {
        shop();
        AtomicLong later = new AtomicLong();
        IntakeConsumer holder = shop.holder("one", shop.outbox, shop.source, () -> System.nanoTime() + later.get());
        holder.poll();
        shop.outbox("update outbox_intake set paused = true");
        later.addAndGet(TimeUnit.SECONDS.toNanos(2));
        holder.poll(); // learns it with its next write
        shop.rows(2);
        holder.poll();
        assertThat(shop.payloads()).isEmpty();

        shop.outbox("update outbox_intake set paused = false");
        holder.poll();
        holder.poll();
        shop.assertCopied(2);
    }

    @Test
    void rows_are_deleted_if_the_file_says_so() throws Exception {
        shop("mark: delete");
        shop.rows(3);
        shop.holder("one").poll();

        assertThat(shop.payloads()).hasSize(3);
        assertThat(shop.sourceTexts("select id from shop")).isEmpty();
    }

    @Test
    void idle_rounds_write_at_most_once_a_second() throws Exception {
        shop();
        AtomicInteger statements = new AtomicInteger();
        DataSource counted = new ProxiedConnections(shop.outbox) {
            @Override
            protected Object on(Call call) throws Exception {
                if (call.isExecution() && call.text().contains("outbox_intake")) {
                    statements.incrementAndGet();
                }
                return call.proceed();
            }
        };
        IntakeConsumer holder = shop.holder("one", counted, shop.source);
        holder.poll();
        int before = statements.get();
        long began = System.nanoTime();
        for (int round = 0; round < 200; round++) {
            holder.poll();
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        assertThat(statements.get() - before).isLessThanOrEqualTo((int) seconds + 1);
    }

    @Test
    void the_lease_of_a_long_read_is_renewed_by_another_thread() throws Exception {
        shop();
        AtomicLong later = new AtomicLong();
        CountDownLatch isReading = new CountDownLatch(1);
        CountDownLatch isRenewed = new CountDownLatch(1);
        DataSource slow = new ProxiedConnections(shop.source) {
            @Override
            protected Object on(Call call) throws Exception {
                if (call.method().equals("executeQuery") && call.text().contains("order by")) {
                    isReading.countDown();
                    isRenewed.await();
                }
                return call.proceed();
            }
        };
        IntakeConsumer holder = shop.holder("one", shop.outbox, slow, () -> System.nanoTime() + later.get());
        CompletableFuture<Void> round = CompletableFuture.runAsync(holder::poll);
        isReading.await();
        shop.endLease();
        later.addAndGet(TimeUnit.SECONDS.toNanos(4));

        holder.loop().renewDuringStep();

        assertThat(shop.stored("(lease_until > clock_timestamp())")).contains("true");
        isRenewed.countDown();
        round.join();
    }

    @Test
    void two_relays_that_claim_at_the_same_time_are_not_both_holders() throws Exception {
        shop();
        shop.rows(100);
        List<IntakeConsumer> holders = List.of(shop.holder("one"), shop.holder("two"));
        List<CompletableFuture<Void>> rounds = holders.stream()
                .map(holder -> CompletableFuture.runAsync(holder::poll))
                .toList();
        rounds.forEach(CompletableFuture::join);

        shop.assertCopied(100);
        assertThat(shop.stored("copied")).contains("100");
    }
}
