package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.HttpGateway.Answer;
import java.time.Duration;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that a real HTTP destination always refuses among good ones, and an outage that looks the same. */
class BadMessagesIT {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final int MESSAGES = 400;
    private static final int KEYS = 200;

    private final HttpStage stage = new HttpStage();
    private final TestOutbox outbox = stage.outbox;
    private final HttpGateway gateway = stage.gateway;

    @ParameterizedTest(name = "order {0}, {1} % bad, answered {2}")
    @CsvSource({"key, 10, 500", "key, 50, 400"})
    void good_messages_arrive_beside_bad_ones_and_those_die_by_their_attempts(String order, int percent, int answer)
            throws Exception {
        LongPredicate isBad = // whole keys, spread over the outbox
                id -> id <= MESSAGES && id % KEYS * 7_919 / 8 % 100 < percent;
        gateway.answersWith(id -> Answer.of(isBad.test(id) ? answer : 200));
        outbox.insertMany(MESSAGES, KEYS);
        stage.start("&order=" + order + "&backoff=20ms&maxBackoff=50ms&maxAttempts=3");

        List<Long> bad =
                LongStream.rangeClosed(1, MESSAGES).filter(isBad).boxed().toList();
        assertThat(bad).isNotEmpty();
        eventually(LONG, () -> {
            outbox.insert("good"); // traffic continues
            assertThat(gateway.taken().stream().filter(id -> id <= MESSAGES).distinct())
                    .hasSize(MESSAGES - bad.size());
            assertThat(outbox.dead("orders")).isEqualTo(bad);
        });
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(gateway.asked().stream().filter(bad::contains))
                .hasSizeGreaterThanOrEqualTo(answer == 400 ? bad.size() : 3 * bad.size());
    }

    @Tag("long")
    @ParameterizedTest(name = "order {0}, {1} % bad, answered {2}")
    @CsvSource({
        "key,                 1, 500",
        "key,                50, 500",
        "key&pipelined=true,  1, 500",
        "key&pipelined=true, 10, 500",
        "key&pipelined=true, 50, 500",
        "none,                1, 500",
        "none,               10, 500",
        "none,               50, 500",
    })
    void so_they_do_in_other_orders_and_with_other_shares(String order, int percent, int answer) throws Exception {
        good_messages_arrive_beside_bad_ones_and_those_die_by_their_attempts(order, percent, answer);
    }

    @Tag("long")
    @Test
    void good_messages_arrive_although_hundreds_of_bad_ones_came_first() throws Exception {
        gateway.answersWith(id -> Answer.of(id <= 300 ? 500 : 200));
        outbox.insertMany(300, 300);
        stage.start("&order=none&backoff=1000ms&concurrency=4");
        eventually(() -> assertThat(gateway.asked()).hasSizeGreaterThan(20));

        outbox.insertMany(MESSAGES, MESSAGES);

        eventually(() -> assertThat(gateway.taken()).hasSize(MESSAGES));
    }

    @Tag("long")
    @Test
    void a_destination_that_answers_everything_with_an_error_costs_nothing_but_what_raised_the_suspicion()
            throws Exception {
        gateway.answersWith(id -> Answer.of(500));
        outbox.insertMany(MESSAGES, MESSAGES);
        stage.start("&backoff=10000ms&concurrency=8");

        eventually(() -> assertThat(destinationError()).startsWith("every message fails"));
        assertThat(outbox.waiting("orders"))
                .hasSizeLessThanOrEqualTo(20 + 8); // and those that were in flight with the last of them
        gateway.answersWith(id -> Answer.of(200));

        eventually(LONG, () -> assertThat(gateway.taken()).hasSize(MESSAGES));
        assertThat(outbox.dead("orders")).isEmpty();
    }

    private String destinationError() {
        return outbox.text(
                "select coalesce(max(destination_error), '') from outbox_subscription where name = 'orders'");
    }
}
