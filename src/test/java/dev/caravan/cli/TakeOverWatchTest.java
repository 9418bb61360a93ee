package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.capture.TakeOverState;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeOverWatchTest {
    private static final Path FILE = Path.of("emails.yaml");

    private final StringWriter out = new StringWriter();

    @Test
    void each_change_of_the_counts_is_shown_once_until_nothing_is_pending() throws Exception {
        watch(List.of(3L, 3L, 1L, 0L));

        assertThat(out.toString().lines())
                .containsExactly(
                        "3 rows are pending, 7 messages wait",
                        "1 row is pending, 7 messages wait",
                        "0 rows are pending, 7 messages wait. Stop the poller now, in all processes. Then run:"
                                + " ./caravan capture take-over emails.yaml --poller-stopped");
    }

    @Test
    void rows_that_stay_pending_are_offered_to_the_subscription() throws Exception {
        List<Long> pending = new ArrayList<>(Collections.nCopies(20, 2L));
        pending.add(0L);

        watch(pending);

        assertThat(out.toString()).contains("and the number does not decrease", "--poller-stopped --copy-rest");
    }

    private void watch(List<Long> pending) throws Exception {
        Iterator<Long> next = pending.iterator();
        try (Interruption interruption = new Interruption()) {
            boolean ended = new TakeOverWatch(new PrintWriter(out), Duration.ZERO, FILE)
                    .untilNothingIsPending(
                            () -> new TakeOverState(
                                    "app.emails", "email", Stage.DRAINING, next.next(), 7, List.of(), List.of()),
                            interruption);
            assertThat(ended).isTrue();
        }
    }
}
