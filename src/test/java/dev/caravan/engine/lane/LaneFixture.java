package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.progress.Writers;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;

/** A lane with a clock that the test sets, and messages for it to receive. */
abstract class LaneFixture {
    static final long LEASE_ENDS = Duration.ofSeconds(10).toNanos();
    static final Failure FAILURE = new Failure("Error", "refused", "", "", "refused", "", true);
    static final Result FAILED = Result.retry(FAILURE);
    static final Writers NOBODY = new Writers(Set.of());
    final LaneCounters counters = new LaneCounters(() -> 0);
    long now;

    /** It has failed twice. */
    static Delivery stored(long id) {
        return Delivery.stored(message(id, null), id, 2, Duration.ZERO);
    }

    /** A window of four, read in batches of two. */
    Lane lane(Order order) {
        return lane(options(order), new SavedProgress(0, new IdRanges()), 0);
    }

    /** @param delivered the saved number of delivered messages */
    Lane lane(LaneSettings options, SavedProgress progress, long delivered) {
        LaneStart start = new LaneStart(1, LEASE_ENDS, progress, delivered, ProvenSession.NONE);
        return new Lane(start, options, counters, () -> now, () -> ProvenSession.NONE, RateShare.UNLIMITED);
    }

    static LaneSettings options(Order order) {
        return options(order, false);
    }

    static LaneSettings options(Order order, boolean pipelined) {
        return TestLaneSettings.of(settings -> {
            settings.order = order;
            settings.pipelined = pipelined;
            settings.batchSize = 2;
            settings.batchBytes = 1_000;
            settings.window = 4;
        });
    }

    static void receive(Lane lane, boolean complete, long... ids) {
        receive(
                lane,
                complete,
                LongStream.of(ids).mapToObj(LaneFixture::message).toList());
    }

    static void receiveMessages(Lane lane, Message... messages) {
        receive(lane, false, List.of(messages));
    }

    /** A read that is not complete was cut to its bytes. */
    static void receive(Lane lane, boolean complete, List<Message> messages) {
        Read read = lane.nextRead();
        assertThat(read).isNotNull();
        lane.received(new Batch(read, messages, messages.size() + (complete ? 0 : 1), Set.of()), Set.of());
    }

    static Message message(long id) {
        return message(id, null);
    }

    static Message message(long id, String payload) {
        return message(id, new Key("order", "" + id), payload);
    }

    static Message of(Key key, long id) {
        return message(id, key, null);
    }

    static Message message(long id, Key key, String payload) {
        return new Message(id, new UUID(0, id), key, "created", null, payload, Instant.EPOCH);
    }
}
