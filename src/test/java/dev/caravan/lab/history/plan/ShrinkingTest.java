package dev.caravan.lab.history.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ShrinkingTest {
    @Test
    void only_the_steps_that_break_the_promise_are_left() {
        Step insert = new Step(StepKind.INSERT, 1, 0, 0);
        Step turn = new Step(StepKind.TURN, 0, 0, 0);

        HistoryPlan shrunk =
                shrink(history(insert, turn), history -> history.steps().containsAll(List.of(insert, turn)));

        assertThat(shrunk.steps()).containsExactlyInAnyOrder(insert, turn);
    }

    @Test
    void numbers_become_as_low_as_they_can() {
        Step late = new Step(StepKind.TIME, 0, 5_000, 0);

        HistoryPlan shrunk = shrink(history(late), history -> history.steps().stream()
                .anyMatch(step -> step.kind() == StepKind.TIME && step.who() == 0 && step.what() >= 1_000));

        assertThat(shrunk.steps()).hasSize(1).allMatch(step -> step.what() >= 1_000 && step.what() < 2_500);
    }

    @Test
    void the_steps_are_printed_in_words() {
        assertThat(new Step(StepKind.LOSE_ANSWER, 1, 0, 3))
                .hasToString("relay B, lane 0: 3 statements, then the answer to the next one is lost");
        assertThat(new Step(StepKind.INSERT, 2, 1, 0)).hasToString("writer 3 inserts 1 message(s) of key 1");
    }

    /** A random history that also has these steps, at its end. */
    private static HistoryPlan history(Step... last) {
        HistoryPlan random = RandomHistory.of(1);
        List<Step> steps = new ArrayList<>(random.steps());
        steps.addAll(List.of(last));
        return random.with(steps);
    }

    private static HistoryPlan shrink(HistoryPlan failing, Predicate<HistoryPlan> fails) {
        return Shrinking.of(failing, fails, Duration.ofMinutes(1));
    }
}
