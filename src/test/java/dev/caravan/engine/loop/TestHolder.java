package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;

/** Holds a lane of epoch 7 without a loop. */
final class TestHolder implements LaneHolder {
    private final String subscription;
    private final LaneConnections connections;
    private final LaneSettings settings = TestLaneSettings.of(changed -> {});
    private final Lane lane;
    int woken;

    TestHolder(String subscription, LaneConnections connections, Clock clock) {
        this.subscription = subscription;
        this.connections = connections;
        lane = new Lane(
                new LaneStart(7, Long.MAX_VALUE, new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
                settings,
                new LaneCounters(clock),
                clock,
                () -> ProvenSession.NONE,
                RateShare.UNLIMITED);
    }

    @Override
    public LaneId id() {
        return LaneId.only(subscription);
    }

    @Override
    public LaneSettings settings() {
        return settings;
    }

    @Override
    public LaneConnections connections() {
        return connections;
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public void wake() {
        woken++;
    }
}
