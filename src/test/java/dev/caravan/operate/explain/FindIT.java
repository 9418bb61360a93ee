package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.explain.Found.State;
import dev.caravan.operate.failed.FailureTables;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FindIT {
    private final FailureTables tables = new FailureTables();

    /** Of key order/77: message 1 was delivered, 2 is dead for sms, 3 waits for sms, 4 is blocked behind it. */
    @BeforeEach
    void fill() throws SQLException {
        tables.database.insert(6);
        tables.execute("update outbox set aggregate_type = 'order', aggregate_id = '77' where id <= 4;"
                + " insert into outbox_subscription (name, position) values ('sms', 6), ('email', 6)");
        tables.dead("sms", 2, "aggregate_id", "'77'", "error_text", "'no such number +49 1'");
        tables.dead("email", 2, "aggregate_id", "'77'", "last_failed_at", "now()");
        tables.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)"
                        + " select 'sms', n, md5(n::text)::uuid, 'order', '77', 't', now(), n > 3, case when n = 3 then now() end,"
                        + " case when n = 3 then now() end, case when n = 3 then now() - interval '1 hour' end,"
                        + " case when n = 3 then 'java.io.IOException' end, case when n = 3 then 'broken pipe' end"
                        + " from generate_series(3, 4) n");
    }

    @Test
    void a_key_shows_the_latest_problem_first_and_then_what_is_in_the_outbox() throws SQLException {
        Find.Result result = find("order/77");

        assertThat(result.items())
                .extracting(found -> found.state() + " " + found.subscription().orElse("-") + " " + found.id())
                .containsExactly("dead email 2", "waiting sms 3", "dead sms 2", "blocked sms 4", "in the outbox - 1");
        assertThat(result.complete()).isTrue();
    }

    @Test
    void an_id_and_a_message_id_find_the_message_of_every_subscription() throws SQLException {
        String messageId = find("2").items().get(0).messageId().toString();

        for (String text : new String[] {"2", messageId}) {
            assertThat(find(text).items())
                    .as(text)
                    .extracting(Found::state, found -> found.subscription().orElse("-"))
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple(State.DEAD, "email"),
                            org.assertj.core.groups.Tuple.tuple(State.DEAD, "sms"));
        }
        assertThat(find("5").items()).extracting(Found::state).containsExactly(State.IN_THE_OUTBOX);
        assertThat(find("999").items()).isEmpty();
    }

    @Test
    void a_part_of_an_error_finds_dead_letters_and_waiting_messages() throws SQLException {
        assertThat(find("BROKEN pipe").items()).extracting(Found::id).containsExactly(3L);
        assertThat(find("no such number").items())
                .extracting(Found::subscription)
                .containsExactly(Optional.of("sms"));
    }

    @Test
    void what_is_cut_says_so() throws SQLException {
        assertThat(Find.of(tables.dataSource(), "order/77", 2).complete()).isFalse();
    }

    private Find.Result find(String text) throws SQLException {
        return Find.of(tables.dataSource(), text, 50);
    }
}
