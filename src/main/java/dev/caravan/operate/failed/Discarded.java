package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Json;
import dev.caravan.database.Column;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A discarded dead letter that is still stored, so that the discard can be undone.
 *
 * @param letter the dead letter before the discard
 * @param discard id of the discard: the same for all dead letters that were discarded together
 * @param at when it was discarded
 * @param who the person who discarded it
 * @param reason the reason that the person gave
 */
public record Discarded(
        @JsonUnwrapped DeadLetterSummary letter,
        UUID discard,
        @JsonProperty("discardedAt") @Column("discarded_at") Instant at,
        @JsonProperty("discardedBy") String who,
        String reason)
        implements Versioned {
    /** The names of all fields. */
    public static final List<String> COLUMNS = Json.names(Discarded.class);

    @Override
    public String subscription() {
        return letter.subscription();
    }

    @Override
    public long id() {
        return letter.id();
    }

    /** The time of the discard. */
    @Override
    public Instant version() {
        return at;
    }
}
