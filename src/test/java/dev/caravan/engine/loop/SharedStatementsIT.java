package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.ProxiedConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One statement surveys all lanes of a relay, and one writes their reports. Which lanes fail if the survey fails: a survey that meets another one
 * is played within it.
 */
class SharedStatementsIT {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration REPORT = Duration.ofSeconds(3);

    private final TestOutbox outbox = TestOutbox.create();
    private final Histories histories = new Histories();
    private final Counted counted = new Counted();
    private final List<LaneLoop> lanes = new ArrayList<>();
    private final List<LaneLoop> woken = new ArrayList<>();
    private long now;
    private final RelayParts relay = RelayParts.of(
            outbox.dataSource(),
            histories,
            "relay",
            SECOND.multipliedBy(10),
            Presence.off(() -> now),
            new Horizon(Horizon.INTERVAL, () -> now),
            new WakeUp(null, () -> now),
            () -> now);
    private final Surveys surveys = new Surveys(lanes, this::counted, () -> now);
    private final Reports reports = new Reports(lanes, this::followsTail, this::counted, () -> now);
    private final Surveys failing = new Surveys(lanes, this::fail, () -> now);
    private int failures;
    private Runnable during = () -> {};
    private LaneLoop orders;
    private LaneLoop sms;

    /** Counts executions of statements. */
    private final class Counted extends ProxiedConnections {
        private final List<String> executed = new ArrayList<>();

        Counted() {
            super(outbox.unpooled());
        }

        @Override
        protected Object on(Call call) throws Exception {
            if (call.isExecution() && call.text() != null) {
                executed.add(call.text());
            }
            return call.proceed();
        }

        long runs(String file) {
            return executed.stream().filter(Sql.file(file).text()::equals).count();
        }
    }

    @BeforeEach
    void own() {
        orders = own("orders");
        sms = own("sms");
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    private LaneConnections counted() {
        return new LaneConnections(counted, histories);
    }

    private LaneConnections fail() {
        failures++;
        during.run();
        throw new IllegalStateException("failure " + failures);
    }

    private LaneLoop own(String subscription) {
        LaneSettings settings = TestLaneSettings.of(changed -> changed.subscription = subscription);
        SubscriptionParts shared = new SubscriptionParts(
                new LaneChoice(subscription, 1, relay.freeLanes(), relay.clock()),
                new LaneFailures("subscription " + subscription, SECOND),
                Optional.empty());
        LaneLoop loop = new LaneLoop(
                settings,
                0,
                new LaneConnections(outbox.dataSource(), histories),
                relay,
                shared,
                new LaneCounters(relay.clock()),
                dead -> {});
        assertThat(loop.claim()).isTrue();
        loop.onWake(() -> woken.add(loop));
        lanes.add(loop);
        return loop;
    }

    @Test
    void one_statement_surveys_all_lanes_and_each_learns_only_of_its_own_messages() {
        wait("sms", "now()");
        survey(SECOND);

        assertThat(counted.runs("engine/survey")).isEqualTo(1);
        assertThat(sms.lane().messagesWait()).isTrue();
        assertThat(sms.lane().dueLimit()).isPositive();
        assertThat(orders.lane().messagesWait()).isFalse();
        assertThat(woken).containsExactly(sms);

        outbox.execute("delete from outbox_retry");
        survey(Duration.ofMillis(200));
        assertThat(sms.lane().messagesWait()).isFalse();
        assertThat(sms.lane().dueLimit()).isZero();
        survey(Duration.ofMillis(200));
        assertThat(counted.runs("engine/survey")).as("nothing waits any more").isEqualTo(2);
        lanes.clear();
        survey(SECOND);
        assertThat(counted.runs("engine/survey")).as("this relay owns no lane").isEqualTo(2);
    }

    @Test
    void a_lane_reads_due_messages_when_one_is_due() {
        wait("sms", "now() + interval '1 hour'");
        survey(SECOND);
        assertThat(sms.lane().messagesWait()).isTrue();
        assertThat(sms.lane().dueLimit()).isZero();

        outbox.execute("update outbox_retry set next_attempt_at = now()");
        survey(Duration.ofMillis(200));

        assertThat(sms.lane().dueLimit()).isPositive();
        assertThat(woken).as("first because it waits, then because it is due").containsExactly(sms, sms);
    }

    /** A promoted replica may lack a message that waits. */
    @Test
    void a_survey_of_a_database_with_another_history_than_that_of_a_lane_is_not_used_for_it() {
        LaneLoop elsewhere = own("elsewhere");
        elsewhere.connections().forgetHistory();
        wait("elsewhere", "now()");
        wait("sms", "now()");

        survey(SECOND);

        assertThat(sms.lane().messagesWait()).isTrue();
        assertThat(elsewhere.lane().messagesWait()).isFalse();
    }

    @Test
    void a_survey_is_due_after_a_second_and_after_200_ms_while_messages_wait() {
        pass(Duration.ofMillis(999));
        failing.surveyIfDue(false);
        assertThat(failures).isZero();
        fails(true);

        surveyNoLanes();
        pass(Duration.ofMillis(199));
        failing.surveyIfDue(true);
        assertThat(failures).isEqualTo(1);
        pass(Duration.ofMillis(1));
        fails(false);
    }

    @Test
    void a_survey_that_fails_is_a_failure_of_the_lane_that_made_it_and_is_repeated_by_the_next_one() {
        pass(SECOND);
        fails(false);
        fails(false);
        assertThat(failures).isEqualTo(2);

        surveyNoLanes();
        assertThatCode(() -> failing.surveyIfDue(false)).as("it has succeeded").doesNotThrowAnyException();
    }

    @Test
    void a_lane_that_meets_the_first_survey_continues_and_one_that_meets_a_repetition_fails_with_the_last_failure() {
        pass(SECOND);
        during = () -> assertThatCode(() -> failing.surveyIfDue(false)).doesNotThrowAnyException();
        fails(false);

        during = () -> assertThatThrownBy(() -> failing.surveyIfDue(false)).hasMessage("failure 1");
        fails(false);
        assertThat(failures).isEqualTo(2);
    }

    /** Succeeds, because there is nothing to survey. */
    private void surveyNoLanes() {
        List<LaneLoop> owned = List.copyOf(lanes);
        lanes.clear();
        failing.surveyIfDue(false);
        lanes.addAll(owned);
    }

    private void fails(boolean messagesWait) {
        assertThatThrownBy(() -> failing.surveyIfDue(messagesWait)).hasMessageStartingWith("failure");
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void changed_reports_of_all_lanes_are_written_by_one_statement() {
        report();
        assertThat(reported()).isEqualTo("orders sms");
        assertThat(outbox.text("select name from outbox_subscription where not follows_tail"))
                .isEqualTo("sms");
        assertThat(counted.runs("engine/report")).isEqualTo(1);
        outbox.execute("update outbox_subscription set in_flight = null");

        report();

        assertThat(reported()).as("nothing has changed").isNull();
        assertThat(counted.runs("engine/report")).isEqualTo(1);
    }

    @Test
    void a_locked_row_delays_no_other_report_and_its_own_is_written_next_time() throws Exception {
        try (Connection person = outbox.unpooled().getConnection()) {
            person.setAutoCommit(false);
            Sql.execute(person, "select 1 from outbox_subscription where name = 'orders' for update");

            report();

            assertThat(reported()).isEqualTo("sms");
            person.rollback();
        }
        report();
        assertThat(reported()).isEqualTo("orders sms");
    }

    @Test
    void the_report_of_a_lane_that_another_relay_has_claimed_or_that_was_released_changes_nothing() {
        outbox.execute("update outbox_subscription set epoch = epoch + 1 where name = 'orders'");
        outbox.execute("update outbox_subscription set owner = null, lease_until = null where name = 'sms'");

        report();

        assertThat(counted.runs("engine/report")).isEqualTo(1);
        assertThat(reported()).isNull();
    }

    private void survey(Duration passed) {
        pass(passed);
        surveys.surveyIfDue(false);
    }

    private void report() {
        pass(REPORT);
        reports.reportIfDue(Duration.ZERO);
    }

    private boolean followsTail(Lane lane) {
        return lane != sms.lane();
    }

    private String reported() {
        return outbox.text("select string_agg(name, ' ' order by name) from outbox_subscription where in_flight = 0");
    }

    private void wait(String subscription, String due) {
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, next_attempt_at) values ('" + subscription
                        + "', 1, gen_random_uuid(), 'order', 'a', 't', now(), false, " + due + ")");
    }
}
