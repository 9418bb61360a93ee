package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class GivenIdsTest {
    private static final UUID FIRST = new UUID(1, 1);
    private static final UUID SECOND = new UUID(1, 2);

    @Test
    void an_id_is_known_by_the_line_on_which_it_was_first() {
        GivenIds ids = new GivenIds();

        assertThat(ids.lineBefore(FIRST, 3)).isZero();
        assertThat(ids.lineBefore(SECOND, 4)).isZero();
        assertThat(ids.lineBefore(FIRST, 5)).isEqualTo(3);
        assertThat(ids.lineBefore(FIRST, 6)).isEqualTo(3);
    }

    @Test
    void no_more_ids_are_remembered_than_there_is_room_for() {
        GivenIds ids = new GivenIds(1);
        ids.lineBefore(FIRST, 1);
        ids.lineBefore(SECOND, 2);

        assertThat(ids.lineBefore(SECOND, 3)).isZero();
        assertThat(ids.lineBefore(FIRST, 4)).isEqualTo(1);
    }
}
