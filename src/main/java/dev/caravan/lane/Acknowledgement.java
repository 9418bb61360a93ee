package dev.caravan.lane;

import java.util.List;

/** What to save in one transaction: the progress, and what became of the messages that it no longer covers. */
public record Acknowledgement(SavedProgress progress, List<Change> changes) {}
