package dev.caravan.engine.loop;

/** Decides which lanes of a subscription this relay owns. Thread-safe: called by the threads of all lanes. */
public interface LaneChoice {
    /** For a subscription with one lane: any relay may claim it. */
    LaneChoice ONLY_LANE = new LaneChoice() {
        @Override
        public boolean mayClaim(int lane) {
            return true;
        }

        @Override
        public void notClaimed(int lane) {}

        @Override
        public boolean shouldHandOver(int lane) {
            return false;
        }

        @Override
        public void postponeHandovers() {}
    };

    /** Whether this relay may claim a lane that it does not own. */
    boolean mayClaim(int lane);

    /** Reports that a lane that this relay may claim could not be claimed, so that it can claim another one meanwhile. */
    void notClaimed(int lane);

    /** Whether this relay should release a lane that it owns for another relay. */
    boolean shouldHandOver(int lane);

    /** Stops handovers for a while, because one has taken too long. */
    void postponeHandovers();
}
