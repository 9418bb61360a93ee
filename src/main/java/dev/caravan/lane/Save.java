package dev.caravan.lane;

import dev.caravan.progress.ProgressToSave;
import java.util.List;

/**
 * What to save in one transaction.
 *
 * @param progress how far the lane is
 * @param changes what became of the messages that the progress no longer covers
 * @param delivered how many messages the lane has delivered since it exists; the sum, so that saving it twice changes nothing
 */
public record Save(ProgressToSave progress, List<Change> changes, long delivered) {
    /** The same with no more than the first changes. */
    public Save first(int count) {
        return changes.size() <= count ? this : new Save(progress, changes.subList(0, count), delivered);
    }
}
