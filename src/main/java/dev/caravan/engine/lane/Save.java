package dev.caravan.engine.lane;

import dev.caravan.engine.progress.ProgressToSave;
import java.util.List;

/**
 * What to save in one transaction.
 *
 * @param progress the position and gaps
 * @param changes changes of the side tables, for messages that are no longer in the gaps
 * @param delivered total number of messages that the lane has delivered; a total, so that saving it twice changes nothing
 * @param session the session of the relay
 */
public record Save(ProgressToSave progress, List<Change> changes, long delivered, ProvenSession session) {
    /** This save with at most the first changes. */
    public Save first(int count) {
        return changes.size() <= count ? this : new Save(progress, changes.subList(0, count), delivered, session);
    }
}
