package dev.caravan.database;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OldestTransactionIT {
    @Test
    void a_transaction_that_has_written_is_found_with_the_application_that_left_it_open() throws Exception {
        TestOutbox database = TestOutbox.create();
        try (var connection = database.begin(
                "set application_name = 'psql of anna'",
                "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 't')")) {
            eventually(() -> assertThat(OldestTransaction.olderThan(Duration.ZERO, database.dataSource())) // others end
                    .hasValueSatisfying(found ->
                            assertThat(found.holder()).contains("psql of anna", "database " + database.database())));
            assertThat(OldestTransaction.olderThan(Duration.ofDays(1), database.dataSource()))
                    .isEmpty();
        }
    }
}
