package dev.caravan.operate.explain;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Key;
import dev.caravan.database.Column;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.WaitingSummary;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

/**
 * A message that was found.
 *
 * @param subscription the subscription in which it is dead or waits; empty for a message of the outbox
 * @param at the time of the last failure; of a message of the outbox, when it was written; empty if it has not failed
 */
public record Found(
        State state,
        Optional<String> subscription,
        long id,
        UUID messageId,
        @JsonUnwrapped @Column("aggregate_") Key key,
        String type,
        Optional<Instant> at,
        Optional<String> errorClass,
        @JsonProperty("errorText") @Column("error_text") Optional<String> error) {

    /** Where the message is. */
    public enum State {
        DEAD("dead"),
        WAITING("waiting"),
        BLOCKED("blocked"),
        IN_THE_OUTBOX("in the outbox");

        private final String text;

        State(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** What failed last comes first, then what is blocked, then messages of the outbox, the newest first. */
    static final Comparator<Found> LATEST_FAILURE_FIRST = Comparator.comparing(
                    (Found found) -> found.state == State.IN_THE_OUTBOX)
            .thenComparing(found -> found.at.orElse(Instant.MIN), Comparator.reverseOrder())
            .thenComparing(Found::id, Comparator.reverseOrder());

    static Found of(DeadLetterSummary letter) {
        return new Found(
                State.DEAD,
                Optional.of(letter.subscription()),
                letter.id(),
                letter.messageId(),
                letter.key(),
                letter.type(),
                Optional.of(letter.lastFailedAt()),
                Optional.of(letter.errorClass()),
                Optional.of(letter.errorText()));
    }

    static Found of(WaitingSummary message) {
        return new Found(
                message.isBlocked() ? State.BLOCKED : State.WAITING,
                Optional.of(message.subscription()),
                message.id(),
                message.messageId(),
                message.key(),
                message.type(),
                message.lastFailedAt(),
                message.errorClass(),
                message.errorText());
    }
}
