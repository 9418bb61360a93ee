package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.WrittenLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Rows that cannot be stored must not stop other messages. */
class HostileRowsIT {
    /** Random, so that Postgres cannot compress it into an index entry. */
    private static final String LONG_KEY = new Random(1)
            .ints('a', 'z' + 1)
            .limit(9_600)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();

    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void a_new_message_whose_key_and_type_are_longer_than_1000_bytes_is_refused() {
        outbox.insert("k".repeat(980 - "order".length() - "order.created".length()));

        assertThatThrownBy(() -> outbox.insert(LONG_KEY)).hasMessageContaining("outbox_key_and_type_are_bounded");
        assertThatThrownBy(() -> outbox.insert("a", "t".repeat(1_000), "{}"))
                .hasMessageContaining("outbox_key_and_type_are_bounded");
    }

    @Test
    void a_row_that_cannot_be_stored_stops_nothing_else_and_is_stored_once_the_cause_is_gone() throws Exception {
        outbox.execute("alter table outbox_retry add constraint no_3 check (id <> 3)");
        destination.failIf(arrival -> arrival.key().startsWith("bad"));
        List<Long> bad = new ArrayList<>();
        try (var relay = start("orders?saveInterval=500ms", Duration.ofSeconds(1))) {
            for (int n = 1; n <= 5; n++) {
                bad.add(outbox.insert("bad" + n));
            }
            long behind = outbox.insert("bad3");
            long good = outbox.insert("good");

            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            eventually(() -> assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .containsExactly(1L, 2L, 4L, 5L, behind));
            eventually(() -> assertThat(outbox.saved("orders"))
                    .extracting(
                            TestOutbox.Saved::position, saved -> saved.gaps().toMultirange())
                    .containsExactly(good, "{[3,4)}"));
            assertThat(destination.failedIds()).doesNotContain(behind);
            long next = outbox.insert("good");
            eventually(() -> assertThat(destination.ids()).containsExactly(good, next));

            outbox.execute("alter table outbox_retry drop constraint no_3");
            eventually(Duration.ofSeconds(45), () -> assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .contains(3L));
            outbox.awaitPassed("orders", next);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&pipelined=true", "&order=strict"})
    void a_message_that_is_too_large_is_dead_without_being_read_and_is_delivered_after_the_limit_is_raised(
            String option) throws Exception {
        String large = "{\"text\": \"" + "x".repeat(5_000) + "\"}";
        try (var relay = TestRelay.start(outbox, "orders?maxMessageBytes=4000" + option, destination)) {
            outbox.insert("a");
            long dead = outbox.insert("a", "order.created", large);
            long next = option.contains("strict") ? 0 : outbox.insert("a");

            eventually(() -> assertThat(outbox.text("select concat_ws(' ', id, attempts, error_class, error_text)"
                            + " from outbox_dead_letter"))
                    .isEqualTo(dead
                            + " 1 MessageTooLarge The message has 5012 bytes, more than maxMessageBytes (4000), and was"
                            + " not read"));
            eventually(() -> assertThat(destination.ids())
                    .containsExactlyElementsOf(next == 0 ? List.of(1L) : List.of(1L, next)));
            assertThat(outbox.text("select payload from outbox_dead_letter")).isEqualTo(large);
        }
        int before = destination.ids().size();
        try (var relay = TestRelay.start(outbox, "orders?maxMessageBytes=6000" + option, destination)) {
            new Person(outbox).retryAll();

            eventually(() -> assertThat(destination.ids()).hasSize(before + 1).endsWith(2L));
        }
    }

    @Test
    void headers_of_any_length_and_depth_are_delivered() throws Exception {
        String name = "n".repeat(60_000);
        String deep = "[".repeat(6_000) + "7".repeat(1_500) + "]".repeat(6_000);
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.execute(
                    "insert into outbox (aggregate_type, aggregate_id, type, payload, headers) values ('order', 'a', 'x', '{}',"
                            + " ?::jsonb)",
                    "{\"" + name + "\": \"v\", \"deep\": " + deep + "}");

            eventually(() -> assertThat(destination.arrivals()).singleElement().satisfies(arrival -> assertThat(
                            arrival.headers())
                    .containsEntry(name, "v")
                    .containsEntry("deep", deep)));
        }
    }

    /** A million of them fit into 16 MB, and take more memory than a relay may have. */
    @ParameterizedTest
    @CsvSource({"10000, '', false", "10001, '', true", "10001, '?batching=true', true"})
    void a_message_with_too_many_headers_is_dead(int count, String options, boolean isDead) throws Exception {
        long first = outbox.insert("b");
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload, headers) select 'order', 'a', 'x', '{}',"
                        + " jsonb_object_agg('h' || i, 'v') from generate_series(1, " + count + ") i");
        long last = outbox.insert("c");
        try (var relay = TestRelay.start(outbox, "orders" + options, exchange -> {})) {
            outbox.awaitPassed("orders", last);

            eventually(() -> assertThat(outbox.dead("orders")).isEqualTo(isDead ? List.of(first + 1) : List.of()));
            assertThat(outbox.waiting("orders")).isEmpty();
        }
    }

    /** Each step that copies them, and each of several subscriptions, would take a multiple of their size. */
    @ParameterizedTest
    @CsvSource({
        "'jsonb_build_object(repeat(''n'', 1100000), ''v'')', ''",
        "'jsonb_build_object(''h'', repeat(''v'', 1100000))', '&batching=true'",
        "'(select jsonb_object_agg(''h'' || i, repeat(md5(i::text), 10)) from generate_series(1, 4000) i)', '&pipelined=true'",
        "'(select jsonb_object_agg(''h'' || i, i || repeat(chr(1), 100)) from generate_series(1, 2000) i)', '&lanes=2'"
    })
    void a_message_with_more_than_1_MB_of_headers_is_dead_without_being_read(String headers, String options)
            throws Exception {
        long first = outbox.insert("b");
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, headers)"
                + " values ('order', 'a', 'order.created', '{}', " + headers + ")");
        long last = outbox.insert("c");
        List<String> headersSeen = new CopyOnWriteArrayList<>();
        try (var relay = TestRelay.start(outbox, "orders?concurrency=1" + options, exchange -> {
            headersSeen.addAll(exchange.getMessage().getHeaders().keySet());
        })) {
            outbox.awaitPassed("orders", last);

            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(first + 1));
            String failed = outbox.text("select last_failed_at from outbox_dead_letter");
            new Person(outbox).retryAll();
            eventually(() -> assertThat(outbox.text("select max(last_failed_at) from outbox_dead_letter"))
                    .isNotNull()
                    .isNotEqualTo(failed));
            assertThat(outbox.text("select concat_ws(' ', error_class, error_text) from outbox_dead_letter"))
                    .matches("MessageTooLarge The headers of the message have 1\\d{6} bytes, more than 1 MB, and were"
                            + " not read");
            assertThat(headersSeen).noneMatch(name -> name.length() > 100 || name.matches("h\\d*"));
        }
    }

    @Test
    void headers_just_below_1_MB_are_delivered() throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, headers)"
                + " values ('order', 'a', 'order.created', '{}', jsonb_build_object('h', repeat('v', 1040000)))");
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.ids()).hasSize(1));
        }
    }

    /** They are stored in 4 KB. */
    @Test
    void headers_with_2_MB_of_text_are_dead_unread_whatever_is_stored_of_them() throws Exception {
        for (String headers : List.of(
                "('{\"n\":[' || (select string_agg('1e131000', ',') from generate_series(1, 17)) || '],\"p\":\"'"
                        + " || repeat('x', 335000) || '\"}')::jsonb",
                "jsonb_build_object('h', repeat(chr(1), 345000))")) {
            outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, headers)"
                    + " values ('order', 'a', 'order.created', '{}', " + headers + ")");
        }
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(outbox.dead("orders")).hasSize(2));
        }
        assertThat(outbox.text("select string_agg(distinct error_class, ' ') from outbox_dead_letter"))
                .isEqualTo("MessageTooLarge");
        assertThat(destination.ids()).isEmpty();
    }

    /** 24 KB of {@code 1e131000} are 131 MB of text, and 240 KB more than Postgres can write: each read would fail. */
    @Test
    void headers_whose_text_is_many_times_what_is_stored_are_refused() throws Exception {
        for (String number : List.of("1e131000", "1e-16000", "('1.' || repeat('0', 16000))::numeric")) {
            assertThatThrownBy(() -> outbox.execute(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload, headers) values ('order', 'a',"
                                    + " 'order.created', '{}', jsonb_build_object('h', " + number + "))"))
                    .hasMessageContaining("outbox_headers_are_as_large_as_stored");
        }
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload, headers) values ('order', 'a',"
                        + " 'order.created', '{}', '{\"a\": 1e300, \"b\": 0.00001, \"c\": [1e50, 1e-50], \"d\": \"\\u0001\\u0001\"}')");
    }

    @Test
    void a_row_that_cannot_be_stored_is_delivered_by_the_relay_that_takes_over() throws Exception {
        outbox.execute("alter table outbox_retry add constraint no_1 check (id <> 1)");
        destination.failIf(arrival -> arrival.key().equals("bad"));
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.insert("bad");
            outbox.insert("bad");
            long good = outbox.insert("good");
            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
        assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[1,2)}");
        outbox.execute("alter table outbox_retry drop constraint no_1");
        destination.failIf(arrival -> false);
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            eventually(() -> assertThat(destination.idsOf("bad")).containsExactly(1L, 2L));
        }
    }

    @Tag("long")
    @Test
    void what_waits_behind_a_row_that_cannot_be_stored_is_not_written_again_and_again() throws Exception {
        outbox.execute("alter table outbox_retry add constraint no_1 check (id <> 1)");
        outbox.execute(
                "create sequence updates; create function count_update() returns trigger language plpgsql as"
                        + " $$ begin perform nextval('updates'); return null; end $$;"
                        + " create trigger count_update after update on outbox_retry for each row execute function count_update()");
        destination.failIf(arrival -> arrival.key().equals("bad"));
        try (var relay = start("orders?saveInterval=10ms", Duration.ofSeconds(4))) {
            outbox.insert("bad");
            outbox.insert("bad");
            outbox.insert("bad");
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(2));

            for (int n = 0; n < 60; n++) { // each takes at least a save
                long good = outbox.insert("good");
                eventually(() ->
                        assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[1,2)}"));
                eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(good));
            }
            assertThat(outbox.number("select last_value from updates")).isLessThanOrEqualTo(3);

            destination.failIf(arrival -> false);
            outbox.execute("alter table outbox_retry drop constraint no_1");
            eventually(Duration.ofSeconds(45), () -> assertThat(destination.idsOf("bad"))
                    .containsExactly(1L, 2L, 3L));
        }
    }

    @Tag("long")
    @Test
    void thousands_of_rows_that_cannot_be_stored_cost_no_lease_and_nothing_else_waits_for_them() throws Exception {
        outbox.execute(
                "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$; "
                        + "create trigger no_bad before insert on outbox_retry for each row when (new.aggregate_id like 'bad%')"
                        + " execute function refuse()");
        destination.failIf(arrival -> !arrival.key().startsWith("good"));
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) select 'order',"
                + " case n % 10 when 0 then 'good' when 5 then 'late' else 'bad' end || n, 'order.created', '{}'"
                + " from generate_series(1, 2000) n");
        try (var first = startWithShortLease();
                var second = startWithShortLease()) {
            eventually(Duration.ofSeconds(180), () -> {
                assertThat(outbox.saved("orders").gaps().count()).isEqualTo(1_600);
                assertThat(outbox.waiting("orders")).hasSize(200);
            });
            long next = outbox.insert("good");
            eventually(() -> assertThat(destination.ids()).contains(next));
            assertThat(destination.ids()).hasSize(201).doesNotHaveDuplicates();
            assertThat(outbox.saved("orders").epoch()).isEqualTo(1);

            outbox.execute("drop trigger no_bad on outbox_retry");
            eventually(Duration.ofSeconds(60), () -> assertThat(outbox.waiting("orders"))
                    .hasSize(1_800));
            assertThat(outbox.passed("orders", next)).isTrue();
            assertThat(outbox.saved("orders").epoch()).isEqualTo(1);
        }
    }

    /** Refused rows are searched by writing smaller and smaller parts: with a slow trigger that would take minutes for all of them. */
    @Tag("long")
    @Test
    void a_stop_does_not_wait_until_all_that_is_refused_is_examined_and_loses_nothing() throws Exception {
        outbox.execute("create function refuse() returns trigger language plpgsql as"
                + " $$ begin perform pg_sleep(0.03); raise exception 'no'; end $$; "
                + "create trigger no_bad before insert on outbox_retry for each row when (new.aggregate_id like 'bad%')"
                + " execute function refuse()");
        destination.failIf(arrival -> arrival.key().startsWith("bad"));
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) select 'order',"
                + " case n % 10 when 0 then 'good' else 'bad' end || n, 'order.created', '{}'"
                + " from generate_series(1, 2000) n");
        try (var relay =
                TestRelay.start(outbox.pool(), "orders?order=none&backoff=600000ms&saveInterval=2000ms", destination)) {
            eventually(
                    Duration.ofSeconds(30), () -> assertThat(destination.ids()).hasSize(200));
            eventually(
                    Duration.ofSeconds(30),
                    () -> assertThat(outbox.saved("orders").position()).isEqualTo(2_000));
            long stopped = System.nanoTime();
            relay.close();
            assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isLessThan(Duration.ofSeconds(45));
        }
        assertThat(outbox.saved("orders").owner()).as("the lease is given back").isNull();
        assertThat(outbox.saved("orders").gaps().count()
                        + outbox.waiting("orders").size())
                .isEqualTo(1_800);

        outbox.execute("drop trigger no_bad on outbox_retry");
        destination.failIf(arrival -> false);
        try (var relay = startWithShortLease()) {
            outbox.awaitPassed("orders", 2_000);
        }
        assertThat(Set.copyOf(destination.ids())).hasSize(2_000);
    }

    private TestRelay startWithShortLease() throws Exception {
        return TestRelay.start(outbox.pool(), "orders?order=none&backoff=600000ms", destination, component -> {
            component.setLeaseDuration(2_000);
            component.setRefusedInterval(Duration.ofSeconds(2));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings =
                    "create constraint trigger no_1 after insert on outbox_retry deferrable initially deferred for each row when (new.id = 1)")
    void a_row_that_a_trigger_refuses_stops_nothing_but_itself(String trigger) throws Exception {
        outbox.execute(
                "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$; "
                        + trigger + " execute function refuse()");
        destination.failIf(arrival -> arrival.key().startsWith("bad"));
        try (var relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.insert("bad1");
            outbox.insert("bad2");
            long good = outbox.insert("good");
            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            eventually(() -> assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .containsExactly(2L));
            eventually(() ->
                    assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[1,2)}"));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = "create trigger no_1 before insert on outbox_retry for each row when (new.id = 1)")
    void a_row_that_a_trigger_refuses_before_it_is_stored_stops_nothing_but_itself(String trigger) throws Exception {
        a_row_that_a_trigger_refuses_stops_nothing_but_itself(trigger);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"window=1", "window=5"})
    void a_window_of_one_batch_has_room_beside_a_row_that_cannot_be_stored(String options) throws Exception {
        outbox.execute("alter table outbox_retry add constraint no_1 check (id <> 1)");
        destination.failIf(arrival -> arrival.key().equals("bad"));
        try (var relay = TestRelay.start(outbox, "orders?" + options, destination)) {
            outbox.insert("bad");
            eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
            outbox.insertMany(20, 5);

            eventually(() -> assertThat(destination.ids()).hasSize(20));
        }
    }

    @Tag("long")
    @Test
    void rows_that_cannot_be_stored_fill_the_window_and_no_more() throws Exception {
        outbox.execute("alter table outbox_retry add constraint nothing check (id < 0)");
        destination.failIf(arrival -> true);
        try (var relay = start("orders?window=20", Duration.ofSeconds(1))) {
            outbox.insertMany(200, 200);
            eventually(() -> assertThat(outbox.saved("orders").position()).isGreaterThanOrEqualTo(16));
            eventually(() -> assertThat(destination.failedIds()).hasSizeGreaterThanOrEqualTo(16));
            TestOutbox.Saved saved = outbox.saved("orders");
            // 20, and further batches for each failed probe, because later messages may succeed
            assertThat(saved.position()).isLessThanOrEqualTo(60);
            assertThat(saved.gaps().count()).isEqualTo(saved.position());

            outbox.execute("alter table outbox_retry drop constraint nothing");
            destination.failIf(arrival -> false);
            eventually(
                    Duration.ofSeconds(60), () -> assertThat(destination.ids()).hasSize(200));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into outbox (aggregate_type, aggregate_id, type, payload, headers) values ('order', 'bad', 't', '{\"a\": \"\\u0000\"}', '{\"h\": \"x\"}')",
                "insert into outbox (aggregate_type, aggregate_id, type, payload, created_at) values ('order', 'bad', 't', '1', 'infinity')"
            })
    void rows_with_values_at_the_border_become_dead_letters(String insert) throws Exception {
        destination.before(arrival -> {
            if (arrival.key().equals("bad")) {
                throw new IllegalStateException("a\0b \ud800 \u0001");
            }
        });
        try (var relay = TestRelay.start(outbox, "orders?maxAttempts=2&backoff=10ms", destination)) {
            outbox.execute(insert);
            long good = outbox.insert("good");

            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
            assertThat(outbox.number(
                            "select count(*) from outbox_dead_letter dead join outbox using (id) where dead.headers is not distinct from"
                                    + " outbox.headers and dead.payload::text = outbox.payload::text and dead.created_at ="
                                    + " least(greatest(outbox.created_at, '1970-01-01Z'), '9999-12-31T23:59:59Z')"))
                    .isEqualTo(1);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into outbox (aggregate_type, aggregate_id, type, payload, created_at) values ('order', 'bad', 't', '1', '-infinity')",
                "insert into outbox (aggregate_type, aggregate_id, type, payload, created_at) values ('order', 'bad', 't', '1', '294276-12-31 23:59:59+00')",
                "insert into outbox (aggregate_type, aggregate_id, type, payload, created_at) values ('order', 'bad', 't', '1', '4713-01-01 00:00:00+00 BC')"
            })
    void rows_with_times_at_the_border_become_dead_letters(String insert) throws Exception {
        rows_with_values_at_the_border_become_dead_letters(insert);
    }

    @Tag("long")
    @Test
    void a_key_of_an_older_version_that_is_longer_than_an_index_entry_waits_and_dies_like_any_other() throws Exception {
        outbox.execute("alter table outbox drop constraint if exists outbox_key_and_type_are_bounded");
        destination.failIf(arrival -> arrival.key().length() > 1_000);
        try (var relay = TestRelay.start(outbox, "orders?maxAttempts=2&backoff=10ms&onDead=block", destination)) {
            long bad = outbox.insert(LONG_KEY);
            long behind = outbox.insert(LONG_KEY);
            long good = outbox.insert("good");

            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(bad));
            eventually(() -> assertThat(outbox.waiting("orders"))
                    .extracting(TestOutbox.Waiting::id)
                    .containsExactly(behind));
            eventually(() -> assertThat(destination.ids()).containsExactly(good));
            destination.failIf(arrival -> false);
            new Person(outbox).retryAll();
            eventually(() -> assertThat(destination.ids()).containsExactly(good, bad, behind));
        }
    }

    /** @param refusedInterval the time until refused rows are stored again */
    private TestRelay start(String uri, Duration refusedInterval) throws Exception {
        return TestRelay.start(
                outbox.pool(), uri, destination, component -> component.setRefusedInterval(refusedInterval));
    }

    /** It is stored whole. */
    @Test
    void no_line_of_the_log_holds_a_key_or_type_of_an_older_version_that_is_very_long() throws Exception {
        String key = "k" + "x".repeat(100_000);
        Logger logger = (Logger) LoggerFactory.getLogger("dev.caravan");
        outbox.execute("alter table outbox drop constraint if exists outbox_key_and_type_are_bounded");
        destination.failIf(arrival -> true);
        logger.setLevel(Level.DEBUG);
        try (WrittenLog log = WrittenLog.of("ROOT")) {
            TestRelay.startAsShipped(outbox, "retried?maxAttempts=1", destination);
            long id = outbox.insert(key, "order." + "y".repeat(100_000), "{}");

            eventually(() -> assertThat(outbox.dead("retried")).containsExactly(id));
            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is dead after attempt 1")));
            eventually(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("Could not deliver message") || line.contains("failed:")));
            assertThat(log.lines()).noneMatch(line -> line.contains("x".repeat(200)) || line.contains("y".repeat(200)));
            assertThat(outbox.text("select aggregate_id from outbox_dead_letter"))
                    .isEqualTo(key);
        } finally {
            logger.setLevel(null);
        }
    }
}
