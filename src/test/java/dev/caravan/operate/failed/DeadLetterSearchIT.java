package dev.caravan.operate.failed;

import static dev.caravan.operate.failed.FailureTables.frozen;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadLetterSearchIT {
    private static final Optional<String> ANY = Optional.empty();

    private final FailureTables tables = new FailureTables();

    @Test
    void the_newest_of_all_subscriptions_come_first() throws SQLException {
        tables.dead("sms", 1);
        tables.dead("email", 2);
        tables.dead("sms", 3);
        tables.dead("kafka", 4);

        assertThat(ids(MessageFilter.ALL, 10)).containsExactly(4L, 3L, 2L, 1L);
        assertThat(ids(MessageFilter.ALL, 2)).containsExactly(4L, 3L);
    }

    @Test
    void a_selection_that_is_ended_reads_no_further_subscription() throws SQLException {
        tables.dead("sms", 1);
        tables.dead("email", 2);
        List<Long> reported = new ArrayList<>();

        new DeadLetterSearch(tables.dataSource()).select(MessageFilter.ALL, found -> {
            reported.add(found);
            return false;
        });

        assertThat(reported).containsExactly(1L);
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, 'sms 7,email 5,sms 5,sms 2,email 3,email 1,sms 1'",
        "true, false, 'email 1,sms 1,email 3,sms 2,email 5,sms 5,sms 7'",
        "false, true, 'sms 7,email 5,sms 5,email 3,sms 2,email 1,sms 1'",
        "false, false, 'email 1,sms 1,sms 2,email 3,email 5,sms 5,sms 7'"
    })
    void pages_of_each_order_follow_each_other_also_among_equal_times(
            boolean byTime, boolean descending, String expected) throws SQLException {
        for (int id : List.of(1, 2, 5, 7)) {
            tables.dead("sms", id);
        }
        for (int id : List.of(1, 3, 5)) {
            tables.dead("email", id);
        }
        tables.execute("update outbox_dead_letter set last_failed_at = '2026-01-01 12:00:01Z' where id = 3");
        var search = new DeadLetterSearch(tables.dataSource(), new SortOrder(byTime, descending));

        for (int limit = 1; limit < 9; limit++) {
            assertThat(paged(search, limit)).as("pages of %d", limit).containsExactly(expected.split(","));
        }
    }

    private static List<String> paged(DeadLetterSearch search, int limit) throws SQLException {
        List<String> found = new ArrayList<>();
        Optional<Cursor> after = Optional.empty();
        do {
            Page<DeadLetterSummary> page = search.page(MessageFilter.ALL, after, limit);
            page.items().forEach(letter -> found.add(letter.subscription() + " " + letter.id()));
            after = page.next();
        } while (after.isPresent());
        return found;
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void each_order_keeps_to_the_filters(boolean byTime, boolean descending) throws SQLException {
        for (int id = 1; id < 10; id++) {
            tables.dead("sms", id, "aggregate_id", id % 2 == 0 ? "'even'" : "'odd'", "error_text", "'broken pipe'");
        }
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");
        ErrorGroup group = new DeadLetterSearch(tables.dataSource())
                .first(MessageFilter.ALL, 1)
                .get(0)
                .group();
        var search = new DeadLetterSearch(tables.dataSource(), new SortOrder(byTime, descending));

        for (Key key : Arrays.asList(null, new Key("order", "even"))) {
            for (ErrorGroup of : Arrays.asList(null, group)) {
                MessageFilter filter = MessageFilter.of(Optional.of("sms"), ANY, Optional.ofNullable(key), ANY)
                        .between(Optional.of(noon.plusSeconds(2)), Optional.of(noon.plusSeconds(7)))
                        .inGroup(Optional.ofNullable(of));
                List<Long> ascending = key == null ? List.of(2L, 3L, 4L, 5L, 6L) : List.of(2L, 4L, 6L);
                List<Long> ids = search.page(filter, Optional.empty(), 100).items().stream()
                        .map(DeadLetterSummary::id)
                        .toList();

                assertThat(ids)
                        .isEqualTo(
                                descending
                                        ? ascending.stream()
                                                .sorted(Comparator.reverseOrder())
                                                .toList()
                                        : ascending);
            }
        }
    }

    @Test
    void each_filter_restricts() throws SQLException {
        tables.dead("sms", 1, "type", "'order.created'", "error_text", "'Number 50%_ too SHORT'");
        tables.dead("sms", 2, "type", "'order_created'", "aggregate_id", "'a/b'");
        tables.dead("email", 3, "type", "'booking.confirmed'");
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");

        assertThat(ids(filter(Optional.of("sms"), ANY, null, ANY, null, null))).containsExactly(2L, 1L);
        assertThat(ids(filter(ANY, Optional.of("order.*"), null, ANY, null, null)))
                .containsExactly(1L);
        assertThat(ids(filter(ANY, Optional.of("order_created,booking.*"), null, ANY, null, null)))
                .containsExactly(3L, 2L);
        assertThat(ids(filter(ANY, ANY, new Key("order", "a/b"), ANY, null, null)))
                .containsExactly(2L);
        assertThat(ids(filter(ANY, ANY, null, Optional.of("50%_ TOO short"), null, null)))
                .containsExactly(1L);
        assertThat(ids(filter(ANY, ANY, null, Optional.of("operationfailed"), null, null)))
                .hasSize(3);
        assertThat(ids(filter(ANY, ANY, null, ANY, noon.plusSeconds(2), null))).containsExactly(3L, 2L);
        assertThat(ids(filter(ANY, ANY, null, ANY, null, noon.plusSeconds(2)))).containsExactly(1L);
    }

    @Test
    void a_rare_match_is_found_on_a_later_page() throws SQLException {
        tables.deadMany("sms", 4_500);
        tables.dead("sms", 5_000, "error_text", "'the one'", "last_failed_at", "timestamptz '2020-01-01 00:00:00Z'");

        assertThat(ids(filter(ANY, ANY, null, Optional.of("the one"), null, null)))
                .containsExactly(5_000L);
        assertThat(frozen(tables, MessageFilter.ALL).size()).isEqualTo(4_501);
    }

    @Test
    void dead_letters_that_failed_at_the_same_moment_are_all_found() throws SQLException {
        tables.deadMany("sms", 4_500);
        tables.execute("update outbox_dead_letter set last_failed_at = '2026-01-01 12:00:00Z'");

        assertThat(frozen(tables, MessageFilter.ALL).size()).isEqualTo(4_500);
    }

    @Test
    void dead_letters_added_after_the_count_are_not_selected() throws SQLException {
        tables.dead("sms", 7);
        Selection set = frozen(tables, MessageFilter.ALL);
        tables.dead("sms", 6); // failed earlier, committed later

        new DeadLetters(tables.dataSource()).retry(set.chunks(100).get(0), FailureTables.anna());

        assertThat(ids(MessageFilter.ALL, 10)).containsExactly(6L);
    }

    @Test
    void chunks_hold_one_subscription_each_in_order_of_id() throws SQLException {
        for (long id = 5; id > 0; id--) {
            tables.dead(id > 3 ? "sms" : "email", id);
        }

        List<Selection.Chunk> chunks = frozen(tables, MessageFilter.ALL).chunks(2);

        assertThat(chunks).extracting(Selection.Chunk::subscription).containsExactly("email", "email", "sms");
        assertThat(chunks)
                .extracting(Selection.Chunk::ids)
                .containsExactly(new long[] {1, 2}, new long[] {3}, new long[] {4, 5});
    }

    private static MessageFilter filter(
            Optional<String> subscription,
            Optional<String> types,
            Key key,
            Optional<String> error,
            Instant since,
            Instant until) {
        return MessageFilter.of(subscription, types, Optional.ofNullable(key), error)
                .between(Optional.ofNullable(since), Optional.ofNullable(until));
    }

    private List<Long> ids(MessageFilter filter) throws SQLException {
        return ids(filter, 100);
    }

    private List<Long> ids(MessageFilter filter, int limit) throws SQLException {
        return new DeadLetterSearch(tables.dataSource())
                .first(filter, limit).stream().map(DeadLetterSummary::id).toList();
    }
}
