package dev.caravan.operate.intake;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.database.BoundedCount;
import dev.caravan.database.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of an intake.
 *
 * @param name its name
 * @param source data source and table
 * @param relay the relay that works it now; empty if none does
 * @param lag since the last read that left no pending row: no pending row is older
 * @param copied number of rows that became messages
 * @param rejected number of rows that became dead letters of the intake
 * @param deadLetters rows that were rejected and wait for a person
 * @param copiedAt when rows were copied last
 * @param failingSince the first failure since the last success; empty while it works
 * @param error the last failure, or why it is halted; empty while it works
 */
public record IntakeStatus(
        @JsonProperty("intake") @Column("intake") String name,
        String source,
        State state,
        Optional<String> relay,
        @JsonProperty("lagSeconds") @Column("lag_seconds") Duration lag,
        long copied,
        long rejected,
        @Column("dead_letters_") BoundedCount deadLetters,
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
        NO_RELAY;

        /** {@code no relay}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The subscription of its dead letters, {@code intake:shop}. No subscription of a route has a colon in its name. */
    @JsonIgnore
    public String subscription() {
        return Intakes.subscription(name);
    }
}
