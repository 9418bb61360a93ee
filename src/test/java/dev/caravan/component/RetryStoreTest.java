package dev.caravan.component;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.OnDead;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.LaneOptions;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;

class RetryStoreTest {
    private static final Key KEY = new Key("order", "a");
    private static final LaneOptions DEAD_LETTERS_BLOCK = new LaneOptions(
            Order.key,
            false,
            1,
            1,
            1,
            1,
            new RetryPolicy(1, Duration.ZERO, new Backoff(Duration.ZERO, Duration.ZERO, new Random(1)), OnDead.BLOCK),
            Duration.ZERO,
            Duration.ZERO);

    @Test
    void a_dead_letter_that_is_retried_during_a_survey_is_seen() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.jdbc()
                    .update(
                            "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                                    + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                                    + " error_stack) values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(),"
                                    + " now(), 'c', 't', 's')");
            Person person = new Person(outbox);
            AtomicInteger statements = new AtomicInteger();
            var interrupted = new JdbcTemplate(outbox.unpooled()) {
                @Override
                public void query(String sql, RowCallbackHandler rows, Object... parameters) {
                    super.query(sql, rows, parameters);
                    if (statements.incrementAndGet() == 1) {
                        try {
                            person.retryAll();
                        } catch (java.sql.SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }
            };

            var survey = new RetryStore(interrupted, "orders").survey(DEAD_LETTERS_BLOCK);

            assertThat(statements.get()).isEqualTo(2);
            assertThat(outbox.dead("orders")).isEmpty(); // it was retried meanwhile
            assertThat(survey.dead()).containsExactly(KEY);
            assertThat(survey.waiting()).containsEntry(KEY, true);
        }
    }
}
