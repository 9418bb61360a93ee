package dev.caravan.lab.bench.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
    private final Figures figures = new Figures(line -> {});

    @Test
    void the_median_is_the_middle_and_no_mean() {
        rates("caravan", 10, 1_000, 20);

        assertThat(figures.of("caravan", Figure.RATE).median()).isEqualTo(20);
        assertThat(figures.of("caravan", Figure.RATE).min()).isEqualTo(10);
        assertThat(figures.of("caravan", Figure.RATE).max()).isEqualTo(1_000);
    }

    @Test
    void the_median_of_two_is_their_mean() {
        rates("caravan", 10, 20);

        assertThat(figures.of("caravan", Figure.RATE).median()).isEqualTo(15);
    }

    @Test
    void a_ratio_is_taken_round_by_round() {
        rates("limit", 100, 10, 100);
        rates("caravan", 60, 5, 80); // a slow second round slowed both

        assertThat(figures.ratioToLimit("caravan").orElseThrow().median()).isEqualTo(0.6);
        assertThat(figures.ratioToLimit("limit")).isEmpty();
    }

    @Test
    void a_goal_is_met_at_its_border_and_missed_beyond() {
        assertThat(Goal.atLeast("rate", 0.9, 0.9).met()).isTrue();
        assertThat(Goal.atLeast("rate", 0.9, 0.89).met()).isFalse();
        assertThat(Goal.atMost("seconds", 12, 12).met()).isTrue();
        assertThat(Goal.atMost("seconds", 12, 12.1).met()).isFalse();
    }

    private void rates(String row, double... values) {
        for (double value : values) {
            figures.add(row, Figure.RATE, value);
        }
    }
}
