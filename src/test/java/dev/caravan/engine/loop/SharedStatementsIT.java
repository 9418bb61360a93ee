package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One statement surveys all lanes of a relay, and one writes their reports. */
class SharedStatementsIT {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration REPORT = Duration.ofSeconds(3);

    private final TestOutbox outbox = TestOutbox.create();
    private final Histories histories = new Histories();
    private final Counted counted = new Counted();
    private final List<LaneHolder> lanes = new ArrayList<>();
    private long now;
    private final Surveys surveys = new Surveys(lanes, this::counted, () -> now);
    private final Reports reports = new Reports(lanes, this::followsTail, this::counted, () -> now);
    private TestHolder orders;
    private TestHolder sms;

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
    void own() throws Exception {
        orders = own("orders", connected());
        sms = own("sms", connected());
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    private LaneConnections connected() throws SQLException {
        LaneConnections connections = new LaneConnections(outbox.dataSource(), histories);
        connections.getConnection().close();
        return connections;
    }

    private LaneConnections counted() {
        return new LaneConnections(counted, histories);
    }

    private TestHolder own(String subscription, LaneConnections connections) {
        outbox.execute(
                "insert into outbox_subscription (name, position, owner, epoch, lease_until, lease_millis) values ('"
                        + subscription + "', 0, 'relay', 7, now() + interval '1 minute', 60000)");
        TestHolder holder = new TestHolder(subscription, connections, () -> now);
        lanes.add(holder);
        return holder;
    }

    @Test
    void one_statement_surveys_all_lanes_and_each_learns_only_of_its_own_messages() {
        wait("sms", "now()");
        survey(SECOND);

        assertThat(counted.runs("engine/survey")).isEqualTo(1);
        assertThat(sms.lane().messagesWait()).isTrue();
        assertThat(sms.lane().dueLimit()).isPositive();
        assertThat(orders.lane().messagesWait()).isFalse();
        assertThat(sms.woken).isEqualTo(1);
        assertThat(orders.woken).isZero();

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
        assertThat(sms.woken)
                .as("first because it waits, then because it is due")
                .isEqualTo(2);
    }

    /** A promoted replica may lack a message that waits. */
    @Test
    void a_survey_of_a_database_with_another_history_than_that_of_a_lane_is_not_used_for_it() {
        TestHolder elsewhere = own("elsewhere", new LaneConnections(outbox.dataSource(), histories));
        wait("elsewhere", "now()");
        wait("sms", "now()");

        survey(SECOND);

        assertThat(sms.lane().messagesWait()).isTrue();
        assertThat(elsewhere.lane().messagesWait()).isFalse();
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
        outbox.execute("update outbox_subscription set epoch = 8 where name = 'orders'");
        outbox.execute("update outbox_subscription set owner = null, lease_until = null where name = 'sms'");

        report();

        assertThat(counted.runs("engine/report")).isEqualTo(1);
        assertThat(reported()).isNull();
    }

    private void survey(Duration passed) {
        now += passed.toNanos();
        surveys.surveyIfDue(false);
    }

    private void report() {
        now += REPORT.toNanos();
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
