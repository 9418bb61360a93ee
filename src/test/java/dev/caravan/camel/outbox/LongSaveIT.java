package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.store.SubscriptionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LongSaveIT {
    private static final Delivery DELIVERY = Delivery.fresh(
            new Message(1, new UUID(0, 1), new Key("order", "a"), "order.created", null, "{}", Instant.EPOCH));

    @Test
    void a_save_that_takes_longer_than_the_lease_ends_with_a_valid_lease() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.insert("a");
            outbox.execute("""
                    create function be_slow() returns trigger language plpgsql
                    as $$ begin perform pg_sleep(1.5); return new; end $$;
                    create trigger be_slow before insert on outbox_retry for each row execute function be_slow();
                    """);
            SubscriptionStore store = outbox.store("relay", Duration.ofSeconds(1));
            store.rows().create(Start.parse("earliest"));
            long epoch = store.claim(new String[] {"%"}).orElseThrow().epoch();
            Change retry = new Change.Retry(
                    DELIVERY, 1, Duration.ofHours(1), new Failure("java.io.IOException", "t", "", "", "t"));

            long began = System.nanoTime();
            var saved = store.save(
                    epoch,
                    new Save(new ProgressToSave(1, new IdRanges(), null), List.of(retry), 0, ProvenSession.NONE));

            assertThat(outbox.holds("select lease_until > clock_timestamp() from outbox_subscription"))
                    .isTrue();
            assertThat(Duration.ofNanos(saved.orElseThrow().renewedAt() - began))
                    .isGreaterThan(Duration.ofSeconds(1));
        }
    }
}
