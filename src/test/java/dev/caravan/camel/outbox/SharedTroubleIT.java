package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.junit.jupiter.api.Test;

/** The database lets one subscription wait; the others continue. */
class SharedTroubleIT {
    private final TestDestination troubled = new TestDestination();
    private final TestDestination other = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void lanes_whose_rows_are_locked_hold_up_no_turn_of_another_subscription() throws Exception {
        other.failIf(arrival -> true);
        try (TestRelay relay = start(outbox.pool(), "&lanes=12");
                Connection session = outbox.unpooled().getConnection()) {
            eventually(
                    () -> assertThat(outbox.number("select count(*) from outbox_subscription where owner is not null"))
                            .isEqualTo(13));
            Thread.sleep(1_000);
            session.setAutoCommit(false);
            try (var lock = session.createStatement()) {
                lock.execute("select 1 from outbox_subscription where name = 'troubled' for update");
            }
            Thread.sleep(5_000); // the lanes save alone now, and wait for their rows
            outbox.insert("a", "b", "{}");
            long begun = System.nanoTime();

            eventually(() -> assertThat(outbox.waiting("other")).hasSize(1));

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }

    private TestRelay start(DataSource source, String options) throws Exception {
        return TestRelay.start(source, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:troubled?types=a" + options).process(troubled);
            routes.from("outbox:other?types=b").process(other);
        });
    }
}
