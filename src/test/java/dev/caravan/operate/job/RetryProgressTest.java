package dev.caravan.operate.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.job.RetryProgress.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetryProgressTest {
    private static final RetryProgress START = new RetryProgress(5, 0, 0, 0, 0, 0, List.of());

    private static RetryProgress ended(RetryProgress progress, int failed) {
        return progress.with(new Outcome(List.of(), failed, 0, Optional.empty()));
    }

    private static RetryProgress retried(RetryProgress progress, int count) {
        return progress.retried(LongStream.range(0, count).boxed().toList());
    }

    @Test
    void no_other_message_is_retried_before_the_outcome_of_the_first_ones_is_known() {
        RetryProgress first = retried(START, 5);
        RetryProgress four = first.with(new Outcome(List.of(4L), 0, 0, Optional.empty()));

        assertThat(START.mayRetry()).isEqualTo(5);
        assertThat(first.mayRetry()).isZero();
        assertThat(four.mayRetry()).isZero();
        assertThat(ended(four, 0).mayRetry()).isEqualTo(1_000);
    }

    @Test
    void one_failure_of_the_first_ones_stops_it() {
        assertThat(ended(retried(START, 5), 0).mustStop()).isFalse();
        assertThat(ended(retried(START, 5), 1).mustStop()).isTrue();
    }

    @Test
    void later_a_fifth_of_the_outcomes_stops_it_if_these_are_twenty() {
        RetryProgress going = ended(retried(START, 5), 0);

        assertThat(ended(retried(going, 19), 19).mustStop()).isFalse();
        assertThat(ended(retried(going, 20), 20).mustStop()).isTrue();
        assertThat(ended(retried(going, 95), 20).mustStop()).isTrue();
        assertThat(ended(retried(going, 96), 20).mustStop()).isFalse();
        assertThat(ended(retried(going, 1_000), 190).mustStop()).isFalse();
    }

    @Test
    void what_was_delivered_long_ago_does_not_hide_that_all_fail_now() {
        RetryProgress going = ended(retried(ended(retried(START, 5), 0), 1_000), 0);

        assertThat(ended(retried(going, 20), 20).mustStop()).isTrue();
        assertThat(ended(retried(going, 20), 20).delivered()).isEqualTo(1_005);
    }

    @Test
    void a_message_that_a_person_discarded_is_neither_delivered_nor_failed() {
        RetryProgress after = retried(START, 5).with(new Outcome(List.of(), 0, 2, Optional.empty()));

        assertThat(after.delivered()).isEqualTo(3);
        assertThat(after.mustStop()).isFalse();
    }

    @Test
    void at_most_a_thousand_messages_are_without_an_outcome() {
        RetryProgress going = retried(ended(retried(START, 5), 0), 990);

        assertThat(going.mayRetry()).isEqualTo(10);
    }
}
