package dev.caravan.operate.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Name;
import dev.caravan.operate.explain.Problem.Severity;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NoticesIT {
    private static final Problem UNAVAILABLE = new Problem(
            Name.DESTINATION_DOWN,
            Severity.CRITICAL,
            Optional.of("booking-sms"),
            "booking-sms waits for its destination, next probe in 12s",
            Optional.empty());
    private static final Problem NO_PARTITION = new Problem(
            Name.PARTITIONS_RUNNING_OUT,
            Severity.WARNING,
            Optional.empty(),
            "no partition of the outbox exists for the next ids",
            Optional.empty());

    private static TestOutbox outbox;
    private static Notices notices;

    @BeforeAll
    static void create() throws SQLException {
        outbox = TestOutbox.create();
        notices = new Notices(outbox.pool(), Duration.ofHours(4));
    }

    @BeforeEach
    void empty() {
        outbox.execute("truncate outbox; truncate outbox_notice");
    }

    @Test
    void a_problem_is_reported_and_its_end_too() throws SQLException {
        assertThat(notices.write(List.of(UNAVAILABLE, NO_PARTITION))).isZero();
        passes("1 minute");
        assertThat(notices.write(List.of(UNAVAILABLE, NO_PARTITION))).isEqualTo(2);
        assertThat(notices.write(List.of(UNAVAILABLE, NO_PARTITION))).isZero();
        assertThat(notices.write(List.of())).isZero();
        passes("5 minutes");
        assertThat(notices.write(List.of())).isEqualTo(2);
        assertThat(notices.write(List.of())).isZero();

        assertThat(written("type"))
                .containsExactly(
                        "caravan.notice.critical",
                        "caravan.notice.warning",
                        "caravan.notice.critical",
                        "caravan.notice.warning");
        assertThat(written("aggregate_type || '/' || aggregate_id"))
                .containsExactly(
                        "caravan/destination-down/booking-sms",
                        "caravan/partitions-running-out",
                        "caravan/destination-down/booking-sms",
                        "caravan/partitions-running-out");
        assertThat(written("payload ->> 'text'"))
                .startsWith(
                        "critical: booking-sms waits for its destination, next probe in 12s",
                        "warning: no partition of the outbox exists for the next ids")
                .last()
                .asString()
                .matches("recovered after .*: partitions-running-out");
        assertThat(written("payload ->> 'state'")).containsExactly("open", "open", "recovered", "recovered");
        assertThat(written("payload ->> 'runbook'")).contains("docs/runbooks/destination-down.md");
    }

    @Test
    void a_problem_that_lasts_is_reported_again_after_the_time_of_the_setting() throws SQLException {
        notices.write(List.of(UNAVAILABLE));
        passes("1 minute");
        notices.write(List.of(UNAVAILABLE));
        passes("4 hours");
        notices.write(List.of(UNAVAILABLE));

        assertThat(written("payload ->> 'state'")).containsExactly("open", "still-open");
        assertThat(written("payload ->> 'text'").get(1)).startsWith("critical for 4h 1m: booking-sms waits");
    }

    @Test
    void a_problem_that_comes_and_goes_is_reported_once() throws SQLException {
        for (int i = 0; i < 5; i++) {
            notices.write(List.of(UNAVAILABLE));
            passes("1 minute");
            notices.write(List.of(UNAVAILABLE));
            passes("6 minutes");
            notices.write(List.of());
        }

        assertThat(written("payload ->> 'state'")).containsExactly("open", "recovered");
    }

    @Test
    void a_problem_that_has_ended_leaves_no_row_when_it_may_be_reported_again() throws SQLException {
        notices.write(List.of(UNAVAILABLE, NO_PARTITION));
        passes("1 minute");
        notices.write(List.of(UNAVAILABLE));
        passes("5 minutes");
        notices.write(List.of());
        assertThat(outbox.text("select problem from outbox_notice")).isEqualTo("destination-down");

        passes("4 hours");
        notices.write(List.of());

        assertThat(outbox.number("select count(*) from outbox_notice")).isZero();
    }

    @Test
    void a_notice_that_cannot_be_written_is_written_later() throws SQLException {
        notices.write(List.of(UNAVAILABLE));
        passes("1 minute");
        outbox.execute("alter table outbox add constraint no_notices check (aggregate_type <> 'caravan')");

        assertThatThrownBy(() -> notices.write(List.of(UNAVAILABLE))).isInstanceOf(SQLException.class);

        outbox.execute("alter table outbox drop constraint no_notices");
        assertThat(notices.write(List.of(UNAVAILABLE))).isEqualTo(1);
    }

    @Test
    void relays_that_find_the_same_problem_report_it_once() throws Exception {
        notices.write(List.of(UNAVAILABLE));
        passes("1 minute");
        var relays = Executors.newFixedThreadPool(4);
        List<Future<Integer>> told = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Callable<Integer> relay = () -> notices.write(List.of(UNAVAILABLE));
            told.add(relays.submit(relay));
        }
        int sum = 0;
        for (Future<Integer> one : told) {
            sum += one.get();
        }
        relays.shutdown();

        assertThat(sum).isEqualTo(1);
        assertThat(written("type")).containsExactly("caravan.notice.critical");
    }

    @Test
    void a_relay_that_has_just_started_and_finds_nothing_yet_ends_no_problem() throws SQLException {
        notices.write(List.of(UNAVAILABLE));
        passes("1 minute");
        notices.write(List.of(UNAVAILABLE));
        passes("4 minutes");
        notices.write(List.of());
        notices.write(List.of(UNAVAILABLE));
        passes("4 minutes");
        notices.write(List.of());

        assertThat(written("payload ->> 'state'")).containsExactly("open");
    }

    /** Makes all known problems older, as if this time had passed. */
    private static void passes(String time) {
        outbox.execute("update outbox_notice set opened_at = opened_at - interval '" + time
                + "', seen_at = seen_at - interval '" + time + "', notice_at = notice_at - interval '" + time + "'");
    }

    private static List<String> written(String expression) {
        return outbox.jdbc().queryForList("select " + expression + " from outbox order by id", String.class);
    }
}
