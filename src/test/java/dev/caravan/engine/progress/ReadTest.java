package dev.caravan.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadTest {
    @Test
    void the_bounds_of_the_missing_ids_are_those_of_the_first_and_the_last_range() {
        IdRanges missing = IdRanges.of(5, 5);
        assertThat(read(missing))
                .extracting(Read::lowestMissing, Read::endOfMissing)
                .containsExactly(5L, 6L);

        missing.add(9, 11);
        missing.add(Long.MAX_VALUE - 2, Long.MAX_VALUE - 1);
        assertThat(read(missing))
                .extracting(Read::lowestMissing, Read::endOfMissing)
                .containsExactly(5L, Long.MAX_VALUE);
    }

    @Test
    void no_id_is_between_the_bounds_when_none_is_missing() {
        assertThat(read(new IdRanges()))
                .extracting(Read::lowestMissing, Read::endOfMissing)
                .containsExactly(0L, 0L);
    }

    private static Read read(IdRanges missing) {
        return new Read(0, missing.toMultirange(), Set.of(), Long.MAX_VALUE, 1, 1);
    }
}
