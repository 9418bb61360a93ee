package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A key of 100,000 characters, of a row from before there was a limit, is stored whole and cut in what is logged about it. */
class LongKeyIT {
    private static final String KEY = "k" + "x".repeat(100_000);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private TestOutbox outbox;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
        outbox.jdbc().execute("alter table outbox drop constraint if exists outbox_key_and_type_are_bounded");
        log.start();
        logger("dev.caravan").setLevel(Level.DEBUG);
        logger("ROOT").addAppender(log);
    }

    @AfterEach
    void close() throws Exception {
        logger("ROOT").detachAppender(log);
        logger("dev.caravan").setLevel(null);
        outbox.close();
    }

    @Test
    void no_line_of_the_log_holds_a_long_key_or_type() throws Exception {
        TestDestination destination = new TestDestination();
        destination.failIf(arrival -> true);
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:retried?maxAttempts=1").process(destination);
            }
        })) {
            long id = outbox.insert(KEY, "order." + "y".repeat(100_000), "{}");

            eventually(() -> assertThat(outbox.dead("retried")).containsExactly(id));
            eventually(() -> assertThat(lines()).anyMatch(line -> line.contains("is dead after attempt 1")));
            assertThat(lines())
                    .anyMatch(line -> line.contains("Could not deliver message") || line.contains("failed:"))
                    .noneMatch(line -> line.contains("x".repeat(200)) || line.contains("y".repeat(200)));
            assertThat(outbox.jdbc().queryForObject("select aggregate_id from outbox_dead_letter", String.class))
                    .isEqualTo(KEY);
        }
    }

    private List<String> lines() {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}
