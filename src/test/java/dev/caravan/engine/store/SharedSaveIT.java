package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedSaveIT {
    private static final long EPOCH = 1;
    private static final Save SAVE =
            new Save(new ProgressToSave(0, new IdRanges(), null), List.of(), 0, ProvenSession.NONE);

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void each_lane_gets_its_own_result_and_one_that_another_relay_has_claimed_gets_none() {
        SubscriptionStore lost = claimed("lost");
        SubscriptionStore kept = claimed("kept");
        assertThat(kept.save(EPOCH, SAVE)).isPresent(); // its number is another one than that of the other lane
        outbox.execute("update outbox_subscription set epoch = epoch + 1 where name = 'lost'");

        var saved = new SharedSave(Clock.SYSTEM)
                .write(List.of(lost.row(EPOCH, SAVE), kept.row(EPOCH, SAVE)), outbox.jdbc());

        assertThat(saved.get(0)).isEmpty();
        assertThat(saved.get(1))
                .hasValueSatisfying(answer -> assertThat(answer.number()).isEqualTo(2));
    }

    private SubscriptionStore claimed(String subscription) {
        SubscriptionStore store = new SubscriptionStore(
                outbox.jdbc(), LaneId.only(subscription), "relay", Duration.ofMinutes(1), false, Clock.SYSTEM);
        store.rows().create(Start.parse("earliest"));
        assertThat(store.claim(new String[] {"%"}).orElseThrow().epoch()).isEqualTo(EPOCH);
        return store;
    }
}
