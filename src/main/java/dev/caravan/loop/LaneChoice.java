package dev.caravan.loop;

/** Which of the lanes of a subscription this relay works; asked by the threads of all lanes. */
public interface LaneChoice {
    /** The only lane of a subscription: worked by whoever gets its lease. */
    LaneChoice ONLY_LANE = new LaneChoice() {
        @Override
        public boolean mayClaim(int lane) {
            return true;
        }

        @Override
        public boolean shouldHandOver(int lane) {
            return false;
        }

        @Override
        public void keep() {}
    };

    /** Whether a lane that this relay does not hold should be claimed now. */
    boolean mayClaim(int lane);

    /** Whether a lane that this relay holds should be given back for another relay. */
    boolean shouldHandOver(int lane);

    /** A lane could not be given back in good time: nothing is handed over for a while. */
    void keep();
}
