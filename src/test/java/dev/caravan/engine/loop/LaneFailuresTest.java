package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LaneFailuresTest {
    private static final SQLException NO_FREE_CONNECTION =
            new SQLTransientConnectionException("caravan-outbox - Connection is not available");

    private final LaneFailures failures = new LaneFailures("subscription sms", Duration.ofMillis(10));

    @Test
    void a_wait_for_the_own_pool_is_reported_only_if_it_lasts() {
        try (WrittenLog log = WrittenLog.of(LaneFailures.class)) {
            for (int turn = 0; turn < 5; turn++) {
                assertThat(failures.failed(0, NO_FREE_CONNECTION)).isEqualTo(Duration.ofMillis(10));
                failures.failed(1, new IllegalStateException(NO_FREE_CONNECTION));
                failures.succeeded(1);
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("Could not"))
                    .isEmpty();

            failures.failed(0, NO_FREE_CONNECTION);
            assertThat(log.lines()).last().asString().startsWith("Could not work subscription sms");
            failures.succeeded(0);
            assertThat(log.lines()).last().asString().isEqualTo("Subscription sms works again");
        }
    }

    @Test
    void a_connection_that_the_database_refuses_is_reported_at_once() {
        SQLException refused = new SQLException("Connection refused", "08001");
        try (WrittenLog log = WrittenLog.of(LaneFailures.class)) {
            failures.failed(0, new SQLTransientConnectionException("Connection is not available", "08001", refused));

            assertThat(log.lines()).singleElement().asString().contains("Could not work subscription sms");
        }
    }
}
