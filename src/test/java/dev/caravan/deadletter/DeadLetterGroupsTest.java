package dev.caravan.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeadLetterGroupsTest {
    private FailureTables tables;

    @BeforeEach
    void fill() throws SQLException {
        tables = new FailureTables();
        for (int id = 1; id <= 30; id++) {
            tables.dead("s3", id, "error_text", id <= 20 ? "'often'" : "'rarely'", "last_failed_at", hoursAgo(id));
        }
    }

    private static String hoursAgo(int hours) {
        return "now() - interval '30 minutes' - " + hours + " * interval '1 hour'";
    }

    @Test
    void the_largest_groups_come_first_with_their_trend() throws SQLException {
        DeadLetterGroups groups = of(Optional.empty());

        assertThat(groups.complete()).isTrue();
        assertThat(groups.largest())
                .extracting(DeadLetterGroups.Group::error, DeadLetterGroups.Group::count)
                .containsExactly(tuple("often", 20L), tuple("rarely", 10L));
        assertThat(groups.largest().get(0).trend()).containsExactly(0L, 1L, 2L, 2L, 2L, 2L, 2L, 2L, 2L, 2L, 2L, 1L);
        assertThat(groups.largest().get(1).trend().stream().mapToLong(n -> n).sum())
                .isEqualTo(3);
    }

    @Test
    void hundreds_of_other_errors_change_nothing_about_those_of_a_subscription() throws SQLException {
        DeadLetterGroups alone = of(Optional.of("s3"));

        tables.deadMany("s2", 600);
        tables.deadMany("s4", 600);

        assertThat(of(Optional.of("s3"))).isEqualTo(alone);
        assertThat(of(Optional.of("none"))).isEqualTo(new DeadLetterGroups(List.of(), true));
    }

    @Test
    void among_hundreds_of_errors_the_largest_come_first_too() throws SQLException {
        tables.deadMany("s2", 600);

        DeadLetterGroups groups = of(Optional.empty());

        assertThat(groups.complete()).isFalse();
        assertThat(groups.largest()).hasSize(200);
        assertThat(groups.largest().subList(0, 2))
                .isEqualTo(of(Optional.of("s3")).largest());
    }

    @Test
    void a_time_restricts_what_is_counted() throws SQLException {
        var since = Instant.now().minus(Duration.ofHours(11));
        var filter = new DeadLetterFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(since),
                Optional.of(since.plus(Duration.ofHours(5))));

        assertThat(DeadLetterGroups.of(tables.database.unpooled(), filter).largest())
                .extracting(DeadLetterGroups.Group::count)
                .containsExactly(5L);
    }

    private DeadLetterGroups of(Optional<String> subscription) throws SQLException {
        return DeadLetterGroups.of(
                tables.database.unpooled(),
                new DeadLetterFilter(
                        subscription,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }
}
