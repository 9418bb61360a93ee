package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LookUpPartsTest {
    private static final int PART = 10;
    private static final int PATIENCE = 5;

    private final LookUpParts parts = new LookUpParts(PART, PATIENCE);

    @Test
    void few_ids_are_looked_up_in_one_read_and_of_many_the_lowest_first() {
        assertThat(parts.next(ranges(1, 10), 0)).isEqualTo(ranges(1, 10));

        assertThat(parts.next(ranges(1, 11), 0)).isEqualTo(ranges(1, 10));
        assertThat(parts.next(ranges(6, 25), 1)).isEqualTo(ranges(6, 15));
    }

    @Test
    void a_part_that_does_not_change_for_long_makes_reads_look_up_all_ids_until_many_are_removed() {
        parts.next(ranges(1, 40), 0);
        assertThat(parts.next(ranges(1, 40), PATIENCE - 1)).isEqualTo(ranges(1, 10));

        assertThat(parts.next(ranges(1, 40), PATIENCE)).isEqualTo(ranges(1, 40));
        assertThat(parts.next(ranges(1, 41), PATIENCE)).as("new ones").isEqualTo(ranges(1, 41));
        assertThat(parts.next(ranges(10, 40), PATIENCE)).isEqualTo(ranges(10, 40));

        assertThat(parts.next(ranges(11, 40), PATIENCE)).isEqualTo(ranges(11, 20));
    }

    @Test
    void after_a_pause_many_ids_are_looked_up_in_parts_again() {
        parts.next(ranges(1, 40), 0);
        parts.next(ranges(1, 40), PATIENCE);
        parts.next(ranges(1, 3), PATIENCE);

        assertThat(parts.next(ranges(1, 40), 100)).isEqualTo(ranges(1, 10));
    }

    private static IdRanges ranges(int first, int last) {
        IdRanges ranges = new IdRanges();
        for (int n = first; n <= last; n++) {
            ranges.add(2L * n);
        }
        return ranges;
    }
}
