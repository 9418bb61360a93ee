package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a log in JSON has beside the text. */
class LogContextIT {
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void lines_about_a_failed_attempt_and_a_dead_letter_have_subscription_and_message_id() throws Exception {
        outbox.insert("a");
        String id = outbox.text("select message_id from outbox");
        WrittenLog attempts = WrittenLog.of(AttemptLog.class);
        WrittenLog dead = WrittenLog.of("dead-letter");

        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:failing?maxAttempts=2&backoff=1ms")
                .throwException(IllegalStateException.class, "no"));

        eventually(() -> assertThat(dead.contexts()).hasSize(1));
        Map<String, String> context = Map.of("subscription", "failing", "messageId", id);
        assertThat(attempts.contexts()).isNotEmpty().allSatisfy(each -> assertThat(each)
                .containsAllEntriesOf(context));
        assertThat(dead.contexts().get(0)).containsAllEntriesOf(context);
    }
}
