package dev.caravan.operate.failed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.camel.outbox.TestOutbox;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The orders of the lists of waiting messages, page by page. Messages with even ids are blocked; 1, 3 and 5 have the same next attempt. */
class WaitingSearchIT {
    private static TestOutbox database;

    @BeforeAll
    static void fill() throws SQLException {
        database = TestOutbox.create();
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0), ('email', 0)");
        database.execute(
                "insert into outbox_retry (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, payload,"
                        + " created_at, blocked, next_attempt_at)"
                        + " select name, 0, n, gen_random_uuid(), 'order', (n / 6)::text, 'order.created', '{}', now(), n % 2 = 0,"
                        + " case when n % 2 = 1 then timestamptz '2026-01-01 12:00:00Z' - greatest(n, 5) * interval '1 minute' end"
                        + " from generate_series(1, 9) n cross join (values ('sms'), ('email')) s (name)"
                        + " where n < 9 or name = 'sms'");
    }

    @ParameterizedTest
    @CsvSource({
        "false, '', false, 'sms 9,email 7,sms 7,email 1,sms 1,email 3,sms 3,email 5,sms 5'",
        "false, '', true, 'email 5,sms 5,email 3,sms 3,email 1,sms 1,email 7,sms 7,sms 9'",
        "true, '', false, 'email 2,sms 2,email 4,sms 4,email 6,sms 6,email 8,sms 8'",
        "true, '', true, 'email 8,sms 8,email 6,sms 6,email 4,sms 4,email 2,sms 2'",
        "false, 1, false, 'email 7,sms 7,sms 9'",
        "false, 1, true, 'sms 9,email 7,sms 7'"
    })
    void pages_follow_each_other_in_both_directions(boolean blocked, String key, boolean descending, String expected)
            throws SQLException {
        MessageFilter filter = MessageFilter.of(
                        Optional.empty(),
                        Optional.empty(),
                        key.isEmpty() ? Optional.empty() : Optional.of(new Key("order", key)),
                        Optional.empty())
                .waiting(Optional.empty(), blocked);

        for (int limit = 1; limit < 11; limit++) {
            assertThat(paged(filter, descending, limit))
                    .as("pages of %d", limit)
                    .containsExactly(expected.split(","));
        }
    }

    private static List<String> paged(MessageFilter filter, boolean descending, int limit) throws SQLException {
        WaitingSearch search = new WaitingSearch(database.dataSource(), descending);
        List<String> found = new ArrayList<>();
        Optional<Cursor> after = Optional.empty();
        do {
            Page<WaitingSummary> page = search.page(filter, after, limit);
            page.items().forEach(message -> found.add(message.subscription() + " " + message.id()));
            after = page.next();
        } while (after.isPresent());
        return found;
    }
}
