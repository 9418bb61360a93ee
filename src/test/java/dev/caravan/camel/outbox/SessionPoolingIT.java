package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.PgBouncer;
import dev.caravan.database.Connections;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionPoolingIT {
    @Test
    void a_relay_works_through_a_pool_per_session() throws Exception {
        TestDestination destination = new TestDestination();
        try (PgBouncer pooler = PgBouncer.start("session");
                TestOutbox outbox = TestOutbox.create();
                HikariDataSource pool = Connections.of(
                                outbox.settings(Map.of("caravan.db.url", pooler.url(outbox.database()))))
                        .outboxPool();
                var relay = TestRelay.start(pool, "orders?lanes=2", destination)) {
            for (int i = 1; i <= 30; i++) { // more than it takes for prepared statements
                outbox.insertMany(10, 5);
                int expected = 10 * i;
                eventually(() -> assertThat(destination.ids()).hasSize(expected));
            }
        }
    }
}
