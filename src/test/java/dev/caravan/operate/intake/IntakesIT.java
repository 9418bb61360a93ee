package dev.caravan.operate.intake;

import static dev.caravan.operate.failed.FailureTables.anna;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.message.Json;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.intake.IntakeStatus.State;
import dev.caravan.operate.subscription.Refusal;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IntakesIT {
    private final FailureTables tables = new FailureTables();
    private final Intakes intakes = new Intakes(tables.dataSource());

    @BeforeEach
    void start() throws SQLException {
        tables.execute("insert into outbox_intake (intake, source, relay, lease_until)"
                + " values ('shop', 'shopDb.outbox', 'relay-1', clock_timestamp() + interval '1 minute')");
    }

    private State state() throws SQLException {
        return intakes.find("shop").orElseThrow().state();
    }

    @Test
    void intakes_are_listed_in_order_of_name_with_their_numbers() throws SQLException {
        tables.execute("insert into outbox_intake (intake, source) values ('billing', 'billingDb.outbox')");
        tables.execute("update outbox_intake set copied = 7, rejected = 2, copied_at = '2026-01-01 12:00Z',"
                + " caught_up_at = clock_timestamp() - interval '2 minutes' where intake = 'shop'");
        tables.dead("intake:shop", 3);
        tables.dead("shop", 4);

        assertThat(intakes.list()).extracting(IntakeStatus::name).containsExactly("billing", "shop");
        IntakeStatus shop = intakes.find("shop").orElseThrow();
        assertThat(shop.lag()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
        assertThat(Json.tree(shop).toString())
                .startsWith(
                        "{\"intake\":\"shop\",\"source\":\"shopDb.outbox\",\"state\":\"running\",\"relay\":\"relay-1\","
                                + "\"lagSeconds\":12")
                .endsWith(",\"copied\":7,\"rejected\":2,\"deadLetters\":{\"atLeast\":1,\"more\":false},"
                        + "\"copiedAt\":\"2026-01-01T12:00:00Z\",\"failingSince\":null,\"error\":null}");
        assertThat(intakes.find("unknown")).isEmpty();
    }

    @Test
    void the_most_severe_fact_is_the_state() throws SQLException {
        assertThat(state()).isEqualTo(State.RUNNING);
        tables.execute("update outbox_intake set lease_until = clock_timestamp() - interval '1 second'");
        assertThat(state()).isEqualTo(State.NO_RELAY);
        tables.execute("update outbox_intake set failing_since = clock_timestamp()");
        assertThat(state()).isEqualTo(State.FAILING);
        tables.execute("update outbox_intake set paused = true");
        assertThat(state()).isEqualTo(State.PAUSED);
        tables.execute("update outbox_intake set halted = true");
        assertThat(state()).isEqualTo(State.HALTED);
    }

    @Test
    void an_intake_whose_lease_was_released_has_no_relay() throws SQLException {
        tables.execute("update outbox_intake set relay = null, lease_until = null");

        assertThat(state()).isEqualTo(State.NO_RELAY);
    }

    @Test
    void pausing_and_resuming_change_it_once_each_and_are_in_the_audit() throws SQLException {
        assertThat(intakes.pause("shop", anna())).isTrue();
        assertThat(intakes.pause("shop", anna())).isFalse();
        assertThat(state()).isEqualTo(State.PAUSED);

        assertThat(intakes.resume("shop", anna())).isTrue();
        assertThat(intakes.resume("shop", anna())).isFalse();
        assertThat(state()).isEqualTo(State.RUNNING);

        assertThat(tables.text("select string_agg(action || ' ' || subscription || ' ' || who, ', ' order by id)"
                        + " from outbox_audit"))
                .isEqualTo("pause intake:shop anna, resume intake:shop anna");
    }

    @Test
    void a_change_of_an_unknown_intake_does_nothing() throws SQLException {
        assertThat(intakes.pause("unknown", anna())).isFalse();
        assertThat(intakes.resume("unknown", anna())).isFalse();

        assertThat(tables.count("outbox_audit")).isZero();
    }

    @Test
    void resuming_a_halted_intake_lets_its_relay_try_again_and_keeps_the_reason_in_the_audit() throws SQLException {
        tables.execute("update outbox_intake set halted = true, failing_since = clock_timestamp(),"
                + " error = 'the mark does not end pending'");

        assertThat(intakes.resume("shop", anna())).isTrue();

        assertThat(intakes.find("shop").orElseThrow().error()).isEmpty();
        assertThat(state()).isEqualTo(State.RUNNING);
        assertThat(tables.text("select detail ->> 'halted' from outbox_audit"))
                .isEqualTo("the mark does not end pending");
    }

    @Test
    void resuming_a_paused_intake_that_fails_keeps_its_error() throws SQLException {
        tables.execute(
                "update outbox_intake set paused = true, failing_since = clock_timestamp(), error = 'no connection'");

        intakes.resume("shop", anna());

        assertThat(intakes.find("shop").orElseThrow().error()).contains("no connection");
    }

    @Test
    void an_intake_that_a_relay_works_is_not_removed() throws SQLException {
        assertThatThrownBy(() -> intakes.remove("shop", Intakes.Content.NONE, anna()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("relay-1");

        assertThat(tables.count("outbox_intake")).isEqualTo(1);
    }

    @Test
    void an_unknown_intake_is_not_removed() {
        assertThatThrownBy(() -> intakes.remove("unknown", Intakes.Content.NONE, anna()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("does not exist");
    }

    @Test
    void nothing_is_lost_that_was_not_confirmed() throws SQLException {
        release();
        tables.execute("update outbox_intake set batch = '[[1], [2]]'");
        tables.dead("intake:shop", 3);

        assertThatThrownBy(() -> intakes.remove("shop", Intakes.Content.NONE, anna()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("1 dead letter and 2 rows");
        assertThatThrownBy(() -> intakes.remove("shop", new Intakes.Content(0, 1, 1), anna()))
                .isInstanceOf(Refusal.class);

        assertThat(tables.count("outbox_intake")).isEqualTo(1);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.count("outbox_audit")).isZero();
    }

    @Test
    void with_an_intake_its_own_rows_are_removed_and_nothing_else() throws SQLException {
        release();
        tables.execute("insert into outbox_intake (intake, source) values ('other', 'otherDb.outbox')");
        tables.execute(
                "insert into outbox_intake_row (intake, id, row_key) values ('shop', 1, '[1]'), ('other', 2, '[1]')");
        tables.dead("intake:shop", 3);
        tables.dead("intake:other", 4);
        tables.dead("shop", 5);

        assertThat(intakes.content("shop")).isEqualTo(new Intakes.Content(0, 1, 0));
        intakes.remove("shop", intakes.content("shop"), anna());

        assertThat(tables.text("select string_agg(intake, ' ') from outbox_intake"))
                .isEqualTo("other");
        assertThat(tables.text("select string_agg(intake, ' ') from outbox_intake_row"))
                .isEqualTo("other");
        assertThat(tables.text("select string_agg(subscription, ' ' order by id) from outbox_dead_letter"))
                .isEqualTo("intake:other shop");
        assertThat(tables.text("select action || ' ' || subscription || ' ' || detail::text from outbox_audit"))
                .isEqualTo("delete intake:shop {\"retries\": 0, \"unmarked\": 0, \"deadLetters\": 1}");
    }

    private void release() throws SQLException {
        tables.execute("update outbox_intake set relay = null, lease_until = clock_timestamp()");
    }
}
