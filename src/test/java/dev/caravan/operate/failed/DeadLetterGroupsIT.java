package dev.caravan.operate.failed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DeadLetterGroupsIT {
    private final FailureTables tables = new FailureTables();

    @BeforeEach
    void fill() throws SQLException {
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
    void the_trend_ends_at_the_time_of_the_database() throws SQLException {
        tables.database.shiftClock(24);

        assertThat(of(Optional.empty()).largest().get(0).trend()).containsOnly(0L);
        assertThat(of(Optional.of("s3")).largest().get(0).trend()).containsOnly(0L);
    }

    @Test
    @Tag("long")
    void among_hundreds_of_errors_the_trend_ends_at_the_time_of_the_database_too() throws SQLException {
        tables.database.shiftClock(24);
        tables.deadMany("s2", 600);

        assertThat(of(Optional.empty()).largest().get(0).trend()).containsOnly(0L);
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
        var filter = MessageFilter.ALL.between(Optional.of(since), Optional.of(since.plus(Duration.ofHours(5))));

        assertThat(DeadLetterGroups.of(tables.dataSource(), filter).largest())
                .extracting(DeadLetterGroups.Group::count)
                .containsExactly(5L);
    }

    @Test
    void errors_that_differ_in_numbers_ids_quoted_values_and_addresses_are_one_group() throws SQLException {
        String[] texts = {
            "order 2 is not open",
            "order 25000 is not open",
            "550 5.1.1 <anna.b+x@example.com>: unknown",
            "550 5.1.1 <bo@example.org>: unknown",
            "no customer ''B-77'' in \"main\"",
            "no customer ''it is Bo'' in \"other\"",
            "key 3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a at 2026-03-01T12:00:00.123Z from 10.0.0.1:5432",
            "key 00000000-8d7b-4a52-9c3e-0f5f6f3c2b1a at 2026-04-01T12:00:00Z from 10.0.10.1:1",
            "failed invoking http://sms/send/77 with statusCode: 422",
            "failed invoking http://sms/send/78 with statusCode: 404",
            "can''t open door",
            "can''t open gate"
        };
        for (int i = 0; i < texts.length; i++) {
            tables.dead("s9", 100 + i, "error_text", "'" + texts[i] + "'");
        }

        assertThat(of(Optional.of("s9")).largest())
                .extracting(DeadLetterGroups.Group::pattern, DeadLetterGroups.Group::count)
                .containsExactlyInAnyOrder(
                        tuple("order # is not open", 2L),
                        tuple("# # <#>: unknown", 2L),
                        tuple("no customer # in #", 2L),
                        tuple("key # at # from #", 2L),
                        tuple("failed invoking http://sms/send/# with statusCode: 422", 1L),
                        tuple("failed invoking http://sms/send/# with statusCode: 404", 1L),
                        tuple("can't open door", 1L),
                        tuple("can't open gate", 1L));
    }

    @Test
    void a_group_is_searched_by_its_identity_and_keeps_what_was_noted() throws SQLException {
        tables.dead("s9", 101, "error_text", "'order 2 is not open'");
        tables.dead("s9", 102, "error_text", "'order 3 is not open'");
        tables.dead("s9", 103, "error_text", "'other'");
        DeadLetterGroups.Group group = of(Optional.of("s9")).largest().get(0);
        GroupMarks marks = new GroupMarks(tables.dataSource());

        boolean known =
                marks.mark("s9", group.group(), Optional.of(true), Optional.of(" OPS-7 "), FailureTables.anna());
        boolean text = marks.mark("s9", group.group(), Optional.empty(), Optional.of("OPS-8"), FailureTables.anna());
        boolean missing =
                marks.mark("s9", new ErrorGroup(7), Optional.of(true), Optional.empty(), FailureTables.anna());

        MessageFilter filter = MessageFilter.of(Optional.of("s9"), Optional.empty(), Optional.empty(), Optional.empty())
                .inGroup(ErrorGroup.parse(group.group().toString()));
        assertThat(known && text).isTrue();
        assertThat(missing).isFalse();
        assertThat(new DeadLetterSearch(tables.dataSource()).first(filter, 10))
                .extracting(DeadLetterSummary::id)
                .containsExactly(102L, 101L);
        for (DeadLetterGroups found :
                List.of(of(Optional.of("s9")), DeadLetterGroups.of(tables.dataSource(), filter))) {
            GroupMarks.Mark mark = found.largest().get(0).mark();
            assertThat(found.largest().get(0).count()).isEqualTo(2);
            assertThat(mark.known()).isTrue();
            assertThat(mark.note()).contains("OPS-8");
            assertThat(mark.who()).contains("anna");
        }
        assertThat(tables.number("select count(*) from outbox_audit where action = 'mark'"))
                .isEqualTo(2);
    }

    private DeadLetterGroups of(Optional<String> subscription) throws SQLException {
        return DeadLetterGroups.of(
                tables.dataSource(),
                MessageFilter.of(subscription, Optional.empty(), Optional.empty(), Optional.empty()));
    }
}
