package dev.caravan.operate.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Name;
import dev.caravan.operate.explain.Problem.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KnownProblemTest {
    private static final Instant START = Instant.parse("2026-01-31T00:00:00Z");
    private static final Duration REPEAT = Duration.ofHours(4);

    @Test
    void a_problem_is_reported_after_a_minute_and_again_after_the_time_of_the_setting() {
        KnownProblem known = KnownProblem.first(problem(Severity.WARNING), START);

        assertThat(known.noticeIsDue(REPEAT, at(59))).isFalse();
        assertThat(known.noticeIsDue(REPEAT, at(60))).isTrue();

        KnownProblem noticed = known.afterNotice(at(60)).seen(problem(Severity.WARNING), at(60 + 4 * 3600 - 1));
        assertThat(noticed.noticeIsDue(REPEAT, at(60 + 4 * 3600 - 1))).isFalse();
        assertThat(noticed.noticeIsDue(REPEAT, at(60 + 4 * 3600))).isTrue();
    }

    @Test
    void a_warning_that_becomes_critical_is_reported_at_once_and_only_once() {
        KnownProblem warned =
                KnownProblem.first(problem(Severity.WARNING), START).afterNotice(at(60));
        KnownProblem critical = warned.seen(problem(Severity.CRITICAL), at(75));

        assertThat(critical.noticeIsDue(REPEAT, at(75))).isTrue();
        assertThat(critical.afterNotice(at(75))
                        .seen(problem(Severity.WARNING), at(300))
                        .seen(problem(Severity.CRITICAL), at(400))
                        .noticeIsDue(REPEAT, at(400)))
                .isFalse();
    }

    @Test
    void a_problem_that_returns_is_reported_half_an_hour_after_its_last_notice() {
        KnownProblem over = KnownProblem.first(problem(Severity.CRITICAL), START)
                .afterNotice(at(60))
                .unseen(at(360));
        assertThat(over.isOver()).isTrue();

        KnownProblem again = over.seen(problem(Severity.CRITICAL), at(600));

        assertThat(again.isOver()).isFalse();
        assertThat(again.hasNotice())
                .as("no recovery is reported without a notice")
                .isFalse();
        assertThat(again.noticeIsDue(REPEAT, at(30 * 60 + 59))).isFalse();
        assertThat(again.noticeIsDue(REPEAT, at(30 * 60 + 60))).isTrue();
        assertThat(again.noticeIsDue(Duration.ofMinutes(10), at(11 * 60))).isTrue();
        KnownProblem reported = again.afterNotice(at(30 * 60 + 60));
        assertThat(reported.noticeIsDue(REPEAT, at(2 * 3600))).isFalse();
    }

    @Test
    void a_problem_that_lasts_changes_its_row_once_a_minute() {
        KnownProblem known = KnownProblem.first(problem(Severity.WARNING), START);

        assertThat(known.seen(problem(Severity.WARNING), at(59))).isSameAs(known);
        assertThat(known.seen(problem(Severity.WARNING), at(60)).seenAt()).isEqualTo(at(60));
    }

    /** A relay that checks every 15 s, and a problem that comes and goes. */
    @Property(tries = 200)
    void two_notices_that_it_is_open_are_never_closer_than_half_an_hour_or_the_time_of_the_setting_while_it_lasts(
            @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 600) Integer> rounds) {
        List<KnownProblem> noticed = new ArrayList<>();
        KnownProblem known = null;
        int second = 0;
        boolean lasts = true;
        for (int count : rounds) {
            for (int round = 0; round < count; round++, second += 15) {
                if (lasts) {
                    known = known == null
                            ? KnownProblem.first(problem(Severity.WARNING), at(second))
                            : known.seen(problem(Severity.WARNING), at(second));
                    if (known.noticeIsDue(REPEAT, at(second))) {
                        known = known.afterNotice(at(second));
                        noticed.add(known);
                    }
                } else if (known != null) {
                    known = known.unseen(at(second));
                    known = known.canBeDeleted(REPEAT, at(second)) ? null : known;
                }
            }
            lasts = !lasts;
        }
        for (int i = 1; i < noticed.size(); i++) {
            KnownProblem one = noticed.get(i - 1);
            KnownProblem next = noticed.get(i);
            boolean lasted = one.openedAt().equals(next.openedAt());
            assertThat(Duration.between(
                            one.lastNotice().orElseThrow().at(),
                            next.lastNotice().orElseThrow().at()))
                    .isGreaterThanOrEqualTo(lasted ? REPEAT : Duration.ofMinutes(30));
        }
    }

    private static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    private static Problem problem(Severity severity) {
        return new Problem(Name.LAG_HIGH, severity, Optional.of("orders"), "orders is 6m behind", Optional.empty());
    }
}
