package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.WrittenLog;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.apache.camel.support.service.ServiceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What became of a message is written into its row. */
class IntakeOutcomeIT {
    private final AtomicLong later = new AtomicLong();
    private IntakeFixture shop;
    private IntakeConsumer holder;

    @BeforeEach
    void start() throws Exception {
        shop = new IntakeFixture(
                "outcome:",
                "  subscription: orders",
                "  delivered: \"state = 2\"",
                "  dead: \"state = 3, error = :error, attempts = :attempts\"");
        holder = holder(shop.source);
        shop.outbox("insert into outbox_subscription (name, position) values ('orders', 0)");
    }

    private IntakeConsumer holder(DataSource source) throws Exception {
        return shop.holder("one", shop.outbox, source, () -> System.nanoTime() + later.get());
    }

    @AfterEach
    void close() {
        shop.close();
    }

    private void round() {
        later.addAndGet(TimeUnit.SECONDS.toNanos(1));
        holder.poll();
    }

    private List<String> states() throws SQLException {
        return shop.sourceTexts("select state from shop order by id");
    }

    private List<String> tracked() throws SQLException {
        return shop.outboxTexts("select id::text from outbox_intake_row order by id");
    }

    /** As a relay does that has delivered everything up to an id, except some. */
    private void delivered(int position, String gaps) throws SQLException {
        shop.outbox("update outbox_subscription set position = " + position + ", gaps = '" + gaps + "'");
    }

    private void die(int id) throws SQLException {
        shop.outbox(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'orders', id, message_id, aggregate_type, aggregate_id, type, created_at, 4, clock_timestamp(),"
                        + " clock_timestamp(), 'X', 'refused', '' from outbox where id = " + id);
    }

    @Test
    void a_row_is_written_when_each_lane_has_passed_its_message_and_it_is_in_no_gap() throws Exception {
        shop.rows(4);
        round();
        assertThat(states()).containsExactly("1", "1", "1", "1");
        assertThat(tracked()).containsExactly("1", "2", "3", "4");

        delivered(3, "{[2,3)}");
        round();
        assertThat(states()).containsExactly("2", "1", "2", "1");
        assertThat(tracked()).containsExactly("2", "4");

        delivered(4, "{}");
        round();
        assertThat(states()).containsExactly("2", "2", "2", "2");
        assertThat(tracked()).isEmpty();
    }

    @Test
    void a_dead_message_is_written_with_its_error_and_again_when_it_is_delivered_after_a_retry() throws Exception {
        shop.rows(2);
        round();
        die(1);
        delivered(2, "{}");

        round();
        assertThat(states()).containsExactly("3", "2");
        assertThat(shop.sourceTexts("select error || attempts from shop where id = 1"))
                .containsExactly("refused4");
        assertThat(tracked()).containsExactly("1");

        shop.outbox("delete from outbox_dead_letter");
        round();
        assertThat(states()).containsExactly("2", "2");
        assertThat(tracked()).isEmpty();
    }

    @Test
    void an_error_that_is_too_long_for_its_column_is_cut() throws Exception {
        shop.source("alter table shop alter column error varchar(300)");
        shop.rows(3);
        round();
        die(2);
        shop.outbox("update outbox_dead_letter set error_text = repeat('x', 2000)");
        delivered(3, "{}");

        round();

        assertThat(states()).containsExactly("2", "3", "2");
        assertThat(shop.sourceTexts("select length(error) from shop where id = 2"))
                .containsExactly("200");
        assertThat(tracked()).containsExactly("2");
    }

    @Test
    void an_outcome_that_the_source_refuses_is_reported_and_stops_neither_copying_nor_other_outcomes()
            throws Exception {
        shop.source("alter table shop add constraint no_dead check (state <> 3)");
        shop.rows(3);
        round();
        die(2);
        delivered(3, "{}");
        round();
        assertThat(states()).containsExactly("2", "1", "2");
        assertThat(shop.stored("error").orElse("")).contains("outcome could not be written");

        shop.rows(1);
        round();
        assertThat(shop.payloads()).hasSize(4);
        assertThat(shop.stored("failing_since")).isPresent();

        shop.source("alter table shop drop constraint no_dead");
        later.addAndGet(TimeUnit.MINUTES.toNanos(1));
        round();
        round();
        assertThat(states()).containsExactly("2", "3", "2", "1");
        assertThat(shop.stored("error")).isEmpty();
    }

    @Test
    void a_subscription_that_does_not_exist_is_reported() throws Exception {
        shop.outbox("delete from outbox_subscription");
        shop.rows(1);
        round();
        later.addAndGet(TimeUnit.MINUTES.toNanos(1));
        try (WrittenLog log = WrittenLog.of(Outcomes.class)) {
            round();
            assertThat(log.lines()).singleElement().asString().contains("there is no subscription orders");
        }
        assertThat(tracked()).containsExactly("1");
    }

    @Test
    void a_message_that_was_discarded_stays_dead() throws Exception {
        shop.rows(1);
        round();
        die(1);
        delivered(1, "{}");
        round();
        shop.outbox("delete from outbox_dead_letter");
        shop.outbox(
                "insert into outbox_audit (who, action, subscription, messages) values ('anna', 'discard', 'orders', '{[1,2)}')");

        round();

        assertThat(states()).containsExactly("3");
        assertThat(tracked()).isEmpty();
    }

    @Test
    void a_row_that_is_pending_again_keeps_its_state_until_it_is_copied() throws Exception {
        shop.rows(2);
        round();
        delivered(2, "{}");
        shop.source("update shop set state = 0 where id = 1");
        // The holder writes outcomes before it reads.
        round();

        assertThat(shop.payloads()).hasSize(3);
        assertThat(states()).containsExactly("1", "2");
        assertThat(tracked()).containsExactly("3");
    }

    @Test
    void a_rejected_row_is_written_as_dead() throws Exception {
        shop.source("insert into shop (msg_key, topic, data) values ('k', null, '{}')");
        round();
        round();

        assertThat(states()).containsExactly("3");
        assertThat(shop.sourceTexts("select error from shop").get(0)).contains("topic");

        shop.outbox("delete from outbox_dead_letter");
        round();
        assertThat(states()).containsExactly("3");
        assertThat(tracked()).isEmpty();
    }

    @Test
    void the_grants_of_a_relay_are_enough() throws Exception {
        holder = shop.holder("limited", shop.withGrants(), shop.source, () -> System.nanoTime() + later.get());
        shop.rows(2);
        shop.source("insert into shop (msg_key, topic, data) values ('k', null, '{}')");
        round();
        die(1);
        delivered(2, "{}");
        round();
        assertThat(states()).containsExactly("3", "2", "3");

        long rejected = Long.parseLong(
                shop.outboxTexts("select id::text from outbox_dead_letter where subscription <> 'orders'")
                        .get(0));
        var letters = new DeadLetters(shop.outbox);
        var letter = letters.find("intake:shop", rejected).orElseThrow();
        letters.retry(Selection.only(letter.summary()), new Actor("anna", Optional.empty()));
        round(); // learns it
        round();
        assertThat(shop.outboxTexts("select id::text from outbox_dead_letter where subscription <> 'orders'"))
                .hasSize(1);
        assertThat(shop.outboxTexts("select id::text from outbox_retry")).isEmpty();
        assertThat(shop.stored("error")).isEmpty();
        ServiceHelper.stopService(holder);
        assertThat(shop.stored("relay")).isEmpty();
    }

    @Test
    void an_outcome_is_written_again_if_the_answer_of_the_source_is_lost() throws Exception {
        AtomicBoolean isNext = new AtomicBoolean();
        holder = holder(new Losing(shop.source, isNext));
        shop.rows(1);
        round();
        delivered(1, "{}");
        isNext.set(true);
        round();
        assertThat(tracked()).containsExactly("1");

        later.addAndGet(TimeUnit.SECONDS.toNanos(2));
        round();

        assertThat(states()).containsExactly("2");
        assertThat(tracked()).isEmpty();
    }

    /** Loses the answer of the next commit. */
    private static final class Losing extends ProxiedConnections {
        private final AtomicBoolean isNext;

        Losing(DataSource source, AtomicBoolean isNext) {
            super(source);
            this.isNext = isNext;
        }

        @Override
        protected Object on(Call call) throws Exception {
            Object result = call.proceed();
            if (call.method().equals("commit") && isNext.getAndSet(false)) {
                throw new SQLException("An I/O error occurred", "08006");
            }
            return result;
        }
    }
}
