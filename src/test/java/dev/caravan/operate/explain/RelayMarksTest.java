package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.DestinationStatus.Outage;
import dev.caravan.operate.subscription.DestinationStatus.State;
import dev.caravan.operate.subscription.Halt;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RelayMarksTest {
    private static final Instant SINCE = Instant.parse("2026-03-01T00:00:00Z");
    private static final DestinationStatus AVAILABLE = new DestinationStatus(State.AVAILABLE, Optional.empty());
    private static final DestinationStatus UNAVAILABLE = new DestinationStatus(
            State.UNAVAILABLE,
            Optional.of(new Outage(SINCE, Duration.ofSeconds(3), "connection refused", SINCE, Duration.ZERO)));

    private final RelayMarks marks = new RelayMarks();
    private Instant now = SINCE;

    @Test
    void lanes_that_a_relay_has_taken_since_the_last_sample_are_one_mark() {
        take(of("mail", held("a", 1)), of("sms", held("a", 4), held("a", 4)));
        take(of("mail", held("b", 2)), of("sms", held("b", 5), held("b", 5)));
        take(of("mail", held("b", 2)), of("sms", held("b", 5), held("b", 5)));

        assertThat(marks.all()).singleElement().satisfies(mark -> {
            assertThat(mark.at()).isEqualTo(now.minusSeconds(5));
            assertThat(mark.what()).isEqualTo("takeover");
            assertThat(mark.person()).isFalse();
            assertThat(mark.who()).contains("b");
            assertThat(mark.from()).contains("a");
            assertThat(mark.subscriptions()).containsExactly("mail", "sms");
            assertThat(mark.count()).isEqualTo(3);
        });
    }

    @Test
    void the_relay_that_had_a_lane_is_remembered_while_nobody_has_it() {
        take(of("sms", held("a", 1)));
        take(of("sms", free(1)));
        take(of("sms", held("b", 2)));
        take(of("sms", free(2)));
        take(of("sms", held("b", 3)));

        assertThat(marks.all())
                .extracting(mark -> mark.from().orElseThrow() + " " + mark.who().orElseThrow())
                .containsExactly("a b", "b b"); // the second one was started again
    }

    @Test
    void what_was_before_the_first_sample_and_what_a_person_has_caused_is_no_takeover() {
        take(of("sms", held("a", 7)));
        take(of("sms", held("a", 7)), of("new", held("a", 1)));
        take(paused("sms", free(7)), of("new", held("a", 1)));
        take(of("sms", held("b", 8)), of("new", held("a", 2), held("a", 1))); // resumed, and given another lane

        assertThat(marks.all()).isEmpty();
    }

    @Test
    void a_halt_and_an_unavailable_destination_are_marked_at_their_time_also_if_they_began_before_the_first_sample() {
        take(unavailable("sms", held("a", 1)), halted("mail", free(1)));
        take(unavailable("sms", held("a", 1)), halted("mail", free(1)));
        take(of("sms", held("a", 1)), halted("mail", free(1)));

        assertThat(marks.all()).extracting(Mark::what).containsExactly("unavailable", "halt", "available");
        assertThat(marks.all()).extracting(Mark::at).containsExactly(SINCE, SINCE.plusSeconds(1), now);
        assertThat(marks.all().get(0).note()).contains("connection refused");
        assertThat(marks.all().get(1).note()).contains("the outbox was truncated");
    }

    @Test
    void the_oldest_ones_are_forgotten() {
        for (int epoch = 1; epoch < 2_000; epoch++) {
            take(of("sms", held(epoch % 2 == 0 ? "a" : "b", epoch)));
        }

        assertThat(marks.all()).hasSize(500);
        assertThat(marks.all().get(499).at()).isEqualTo(now);
    }

    private void take(SubscriptionStatus... all) {
        now = now.plusSeconds(5);
        marks.add(Statuses.sample(now, all));
    }

    private record Hold(Optional<String> relay, long epoch) {}

    private static Hold held(String relay, long epoch) {
        return new Hold(Optional.of(relay), epoch);
    }

    private static Hold free(long epoch) {
        return new Hold(Optional.empty(), epoch);
    }

    private static SubscriptionStatus of(String name, Hold... lanes) {
        return status(name, AVAILABLE, false, Optional.empty(), lanes);
    }

    private static SubscriptionStatus paused(String name, Hold... lanes) {
        return status(name, AVAILABLE, true, Optional.empty(), lanes);
    }

    private static SubscriptionStatus halted(String name, Hold... lanes) {
        Halt halt = new Halt(SINCE.plusSeconds(1), "the outbox was truncated");
        return status(name, AVAILABLE, false, Optional.of(halt), lanes);
    }

    private static SubscriptionStatus unavailable(String name, Hold... lanes) {
        return status(name, UNAVAILABLE, false, Optional.empty(), lanes);
    }

    private static SubscriptionStatus status(
            String name, DestinationStatus destination, boolean paused, Optional<Halt> halt, Hold... lanes) {
        return Statuses.subscription(
                name,
                IntStream.range(0, lanes.length)
                        .mapToObj(i -> Statuses.lane(i, lanes[i].relay, lanes[i].epoch, 0, destination))
                        .toList(),
                0,
                Duration.ZERO,
                paused,
                halt);
    }
}
