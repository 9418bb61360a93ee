package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.engine.store.LaneConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When lanes are surveyed together, and which of them fail if that fails. A survey that meets another one is played within it. */
class SurveysTest {
    private long now;
    private int begun;
    private Runnable during = () -> {};
    private final List<LaneHolder> lanes = new ArrayList<>();
    private final Surveys surveys = new Surveys(lanes, this::connections, () -> now);

    @BeforeEach
    void own() {
        lanes.add(new TestHolder("orders", null, () -> now));
    }

    private LaneConnections connections() {
        begun++;
        during.run();
        throw new IllegalStateException("failure " + begun);
    }

    @Test
    void a_survey_is_due_after_a_second_and_after_200_ms_while_messages_wait() {
        pass(Duration.ofMillis(999));
        surveys.surveyIfDue(false);
        assertThat(begun).isZero();
        fails(true);

        lanes.clear();
        surveys.surveyIfDue(false);
        own();
        pass(Duration.ofMillis(199));
        surveys.surveyIfDue(true);
        assertThat(begun).isEqualTo(1);
        pass(Duration.ofMillis(1));
        fails(false);
    }

    @Test
    void a_survey_that_fails_is_a_failure_of_the_lane_that_made_it_and_is_repeated_by_the_next_one() {
        pass(Duration.ofSeconds(1));
        fails(false);
        fails(false);
        assertThat(begun).isEqualTo(2);

        lanes.clear();
        assertThatCode(() -> surveys.surveyIfDue(false)).doesNotThrowAnyException();
        assertThatCode(() -> surveys.surveyIfDue(false)).as("it has succeeded").doesNotThrowAnyException();
    }

    @Test
    void a_lane_that_meets_the_first_survey_continues_and_one_that_meets_a_repetition_fails_with_the_last_failure() {
        pass(Duration.ofSeconds(1));
        during = () -> assertThatCode(() -> surveys.surveyIfDue(false)).doesNotThrowAnyException();
        fails(false);

        during = () -> assertThatThrownBy(() -> surveys.surveyIfDue(false)).hasMessage("failure 1");
        fails(false);
        assertThat(begun).isEqualTo(2);
    }

    private void fails(boolean messagesWait) {
        assertThatThrownBy(() -> surveys.surveyIfDue(messagesWait)).hasMessageStartingWith("failure");
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
