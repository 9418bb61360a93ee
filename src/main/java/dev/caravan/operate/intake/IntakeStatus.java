package dev.caravan.operate.intake;

import java.time.Instant;
import java.util.Optional;

/**
 * The state of an intake.
 *
 * @param source data source and table
 * @param relay the relay that works it now; empty if none does
 * @param lagSeconds since the last read that left no pending row: no pending row is older
 * @param deadLetters rows that were rejected and wait for a person
 * @param failingSince the first failure since the last success; empty while it works
 * @param error the last failure; empty while it works
 */
public record IntakeStatus(
        String intake,
        String source,
        State state,
        Optional<String> relay,
        double lagSeconds,
        long copied,
        long rejected,
        long deadLetters,
        Optional<Instant> copiedAt,
        Optional<Instant> failingSince,
        Optional<String> error) {
    /** What an intake does now. */
    public enum State {
        RUNNING,
        PAUSED,
        /** It is tried again. */
        FAILING,
        /** It waits for a person. */
        HALTED,
        /** No relay works it. */
        NO_RELAY
    }
}
