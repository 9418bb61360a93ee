package dev.caravan.base.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonDifferenceTest {
    @Test
    void a_number_that_is_written_otherwise_is_the_same() {
        assertThat(JsonDifference.between("payload", Optional.of("[1.50, 2]"), Optional.of("[1.5, 2.1]")))
                .extracting(JsonDifference::path)
                .containsExactly("payload[1]");
    }

    /** Somebody may write such a number into a row, and a person who edits the dead letter would wait for hours. */
    @Test
    void a_number_with_many_zeros_at_its_end_is_compared_in_time() {
        String zeros = "0".repeat(1_000_000);

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertThat(JsonDifference.between(
                        "payload", Optional.of("[1." + zeros + ", 1]"), Optional.of("[1.00, 2]")))
                .hasSize(1));
    }
}
