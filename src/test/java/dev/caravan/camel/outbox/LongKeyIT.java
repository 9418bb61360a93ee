package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.WrittenLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A key of 100,000 characters, of a row from before there was a limit, is stored whole and cut in what is logged about it. */
class LongKeyIT {
    private static final String KEY = "k" + "x".repeat(100_000);

    private final WrittenLog log = WrittenLog.of("ROOT");
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        outbox.execute("alter table outbox drop constraint if exists outbox_key_and_type_are_bounded");
        ((Logger) LoggerFactory.getLogger("dev.caravan")).setLevel(Level.DEBUG);
    }

    @AfterEach
    void close() throws Exception {
        ((Logger) LoggerFactory.getLogger("dev.caravan")).setLevel(null);
    }

    @Test
    void no_line_of_the_log_holds_a_long_key_or_type() throws Exception {
        TestDestination destination = new TestDestination();
        destination.failIf(arrival -> true);
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:retried?maxAttempts=1")
                .process(destination));
        long id = outbox.insert(KEY, "order." + "y".repeat(100_000), "{}");

        eventually(() -> assertThat(outbox.dead("retried")).containsExactly(id));
        eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is dead after attempt 1")));
        assertThat(log.lines())
                .anyMatch(line -> line.contains("Could not deliver message") || line.contains("failed:"))
                .noneMatch(line -> line.contains("x".repeat(200)) || line.contains("y".repeat(200)));
        assertThat(outbox.text("select aggregate_id from outbox_dead_letter")).isEqualTo(KEY);
    }
}
