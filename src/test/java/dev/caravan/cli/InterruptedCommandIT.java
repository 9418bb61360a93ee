package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ShortLived;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real process that is interrupted or killed in the middle of many retries. */
class InterruptedCommandIT extends CommandFixture {
    private static final int ENTERED = 6_000;
    private static final Pattern REPORT =
            Pattern.compile("Interrupted: Retried ([\\d,]+) dead letters?; ([\\d,]+) not changed\\.");

    @BeforeEach
    void insertRows() throws Exception {
        tables.deadMany("sms", ENTERED);
    }

    @Test
    void an_interrupted_retry_leaves_whole_chunks_and_says_how_many() throws Exception {
        Process retry = retryInTheMiddle();

        // SIGTERM: Ctrl-C comes the same way, but where tests run in the background it is ignored by what they start
        retry.toHandle().destroy();

        assertThat(retry.waitFor(120, TimeUnit.SECONDS)).isTrue();
        String out = new String(retry.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(retry.exitValue()).as(out).isEqualTo(143);
        Matcher report = REPORT.matcher(out);
        assertThat(report.find()).as(out).isTrue();
        long retried = Long.parseLong(report.group(1).replace(",", ""));
        assertThat(tables.count("outbox_retry")).isEqualTo(retried);
        assertThat(retried).isPositive();
        assertConserved();
    }

    @Test
    @Tag("long")
    void a_killed_retry_leaves_whole_chunks_too() throws Exception {
        Process retry = retryInTheMiddle();

        retry.destroyForcibly();

        assertThat(retry.waitFor(120, TimeUnit.SECONDS)).isTrue();
        eventually(
                () -> { // Postgres may still be working on its last statement
                    assertConserved();
                    assertThat(tables.count("outbox_retry")).isPositive();
                });
    }

    /** It still waits for input, so that it cannot end by itself. */
    @Test
    @Tag("long")
    void an_interrupted_publish_says_how_many_messages_were_inserted() throws Exception {
        Process publish = caravan("publish", "--skip-bad", "--batch", "1", "--config", config);
        long before = tables.count("outbox");
        String line = "{\"aggregateType\":\"order\",\"aggregateId\":\"1\",\"type\":\"order.created\",\"payload\":{}}\n";
        publish.getOutputStream().write((line + line).getBytes(StandardCharsets.UTF_8));
        publish.getOutputStream().flush();
        eventually(Duration.ofSeconds(120), () -> assertThat(tables.count("outbox"))
                .isEqualTo(before + 2));

        publish.toHandle().destroy();

        assertThat(publish.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(publish.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("Interrupted: the first 2 good messages were inserted.");
    }

    private void assertConserved() throws Exception {
        long retried = tables.count("outbox_retry");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(ENTERED - retried);
        assertThat(tables.count(AUDITED)).isEqualTo(retried);
    }

    /** At 200 a second it would take thirty seconds. */
    private Process retryInTheMiddle() throws Exception {
        Process retry = caravan("dead-letters", "retry", "--all", "--yes", "--rate", "200", "--config", config);
        eventually(Duration.ofSeconds(120), () -> assertThat(tables.count("outbox_retry"))
                .isGreaterThanOrEqualTo(100));
        return retry;
    }

    private static Process caravan(String... args) throws IOException {
        return new ProcessBuilder(ShortLived.java(List.of(), Caravan.class, args))
                .redirectErrorStream(true)
                .start();
    }
}
