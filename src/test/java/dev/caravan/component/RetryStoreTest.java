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
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class RetryStoreTest {
    private static final Key KEY = new Key("order", "a");
    private static final int SURVEYS = 300;

    @Test
    void dead_letters_are_surveyed_only_if_they_block() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            dead(outbox);
            var store = new RetryStore(outbox.jdbc(), LaneId.only("orders"));

            assertThat(store.survey(options(OnDead.BLOCK)).dead()).containsExactly(KEY);
            assertThat(store.survey(options(OnDead.CONTINUE)).dead()).isEmpty();
            assertThat(store.survey(options(OnDead.BLOCK)).waiting()).isEmpty();
        }
    }

    /** A survey that missed it would let later messages of the key overtake it. */
    @Test
    void a_message_that_people_move_to_and_fro_is_in_every_survey() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            dead(outbox);
            Person person = new Person(outbox);
            AtomicBoolean enough = new AtomicBoolean();
            var people = Executors.newSingleThreadExecutor();
            try {
                var moved = people.submit(() -> {
                    int moves = 0;
                    while (!enough.get()) {
                        moves += person.retryAll() + person.giveUpAll();
                    }
                    return moves;
                });
                var store = new RetryStore(new JdbcTemplate(outbox.unpooled()), LaneId.only("orders"));
                int dead = 0;
                for (int i = 0; i < SURVEYS; i++) {
                    var survey = store.survey(options(OnDead.BLOCK));
                    assertThat(survey.dead().contains(KEY) ^ survey.waiting().containsKey(KEY))
                            .as("survey %s", survey)
                            .isTrue();
                    dead += survey.dead().size();
                }
                enough.set(true);
                assertThat(moved.get(30, TimeUnit.SECONDS)).isGreaterThan(10);
                assertThat(dead).isBetween(1, SURVEYS - 1);
            } finally {
                enough.set(true);
                people.shutdown();
            }
        }
    }

    private static LaneOptions options(OnDead onDead) {
        var backoff = new Backoff(Duration.ZERO, Duration.ZERO, new Random(1));
        var policy = new RetryPolicy(1, Duration.ZERO, backoff, onDead);
        return new LaneOptions(Order.key, false, 1, 1, 1, 1, policy, Duration.ZERO, Duration.ZERO);
    }

    private static void dead(TestOutbox outbox) {
        outbox.jdbc()
                .update("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                        + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(),"
                        + " now(), 'c', 't', 's')");
    }
}
