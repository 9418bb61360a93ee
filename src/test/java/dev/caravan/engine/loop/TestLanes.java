package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;

/** Lanes that a test owns without a loop. */
final class TestLanes {
    private TestLanes() {}

    static LaneParts parts(String subscription, LaneConnections connections, Runnable wake) {
        return new LaneParts(LaneId.only(subscription), TestLaneSettings.of(settings -> {}), connections, wake);
    }

    static Lane lane(LaneParts parts, long epoch, Clock clock) {
        return new Lane(
                new LaneStart(epoch, Long.MAX_VALUE, new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
                parts.settings(),
                new LaneCounters(clock),
                clock,
                () -> ProvenSession.NONE,
                RateShare.UNLIMITED);
    }
}
