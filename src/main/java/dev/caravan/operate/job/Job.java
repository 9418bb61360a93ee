package dev.caravan.operate.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The state of a job: a change of many messages, or of lanes. A bulk retry is a job that retries dead letters of one subscription and observes
 * their outcome.
 *
 * @param action the verb of the command
 * @param subscription empty for all
 * @param details what is changed: the messages and the filter, or the number of lanes
 * @param rate maximum number of messages changed per second; empty for no limit
 * @param discard id of the discard that it makes, if discarded dead letters are stored
 * @param total number of messages that matched at the start; empty while they are counted
 * @param done number of messages changed, with those of the bulk retries that it has started
 * @param forgotten of a replay: number of message ids removed from the idempotent repository
 * @param first of a bulk retry: number of messages that are retried first; others are retried when their outcome is known
 * @param failed of a bulk retry: number of retried messages whose next attempt failed again
 * @param pending of a bulk retry: number of retried messages whose outcome is not known
 * @param bulkRetries of a retry of dead letters: the bulk retries that it has started, which know the outcome
 * @param waitsFor why nothing is changed now
 * @param error why it failed, or stopped by itself
 */
@JsonIgnoreProperties({"rate", "forgotten", "first", "delivered", "failed", "pending", "who", "reason"})
@JsonPropertyOrder({"id", "action", "subscription", "details", "total", "done", "discard", "state"})
public record Job(
        long id,
        String action,
        Optional<String> subscription,
        JsonNode details,
        State state,
        OptionalInt rate,
        Optional<UUID> discard,
        OptionalLong total,
        long done,
        long forgotten,
        OptionalInt first,
        long delivered,
        long failed,
        long pending,
        List<Long> bulkRetries,
        Optional<String> waitsFor,
        Optional<String> error,
        String who,
        Optional<String> reason,
        Instant startedAt,
        Optional<Instant> endedAt) {

    /** What a job does now. */
    public enum State {
        RUNNING,
        PAUSED,
        /** Of a bulk retry: stopped by itself, because too many failed again. */
        STOPPED,
        CANCELLED,
        FAILED,
        /** All are changed. Of a bulk retry: and their outcome is known. */
        DONE;

        /** The value in the database and the API. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return text();
        }

        static State of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    static Job of(ResultSet row) throws SQLException {
        int rate = row.getInt("rate");
        int first = row.getInt("first");
        return new Job(
                row.getLong("id"),
                row.getString("action"),
                Optional.ofNullable(row.getString("subscription")),
                Json.read(row.getString("details")),
                State.of(row.getString("state")),
                rate == 0 ? OptionalInt.empty() : OptionalInt.of(rate),
                Optional.ofNullable(row.getObject("discard", UUID.class)),
                row.getBoolean("counting") ? OptionalLong.empty() : OptionalLong.of(row.getLong("total")),
                row.getLong("all_done"),
                row.getLong("forgotten"),
                first == 0 ? OptionalInt.empty() : OptionalInt.of(first),
                row.getLong("delivered"),
                row.getLong("failed"),
                ((Object[]) row.getArray("pending").getArray()).length,
                List.of((Long[]) row.getArray("started").getArray()),
                Optional.ofNullable(row.getString("waits_for")),
                Optional.ofNullable(row.getString("error")),
                row.getString("who"),
                Optional.ofNullable(row.getString("reason")),
                Sql.instant(row, "started_at"),
                Sql.time(row, "ended_at"));
    }

    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Whether it observes the outcome of what it retries. */
    public boolean isBulkRetry() {
        return first.isPresent();
    }

    /** The name of its only subscription. */
    public String name() {
        return subscription.orElseThrow();
    }

    /** Number of matching messages that are not changed; an estimate if people change some of them otherwise. */
    public long left() {
        return state == State.DONE ? 0 : Math.max(0, total.orElse(0) - done);
    }

    /** The progress of a bulk retry, in one or two sentences. */
    public String statement() {
        return "Bulk retry " + id + " of " + name() + " is " + state.text() + ": "
                + Formatted.counted(done, "dead letter")
                + " retried, " + delivered + " delivered, " + failed + " failed again, " + pending
                + " without an outcome yet, "
                + left() + " left."
                + error.map(why -> " It stopped because " + why + ".").orElse("");
    }

    /** A sentence for each bulk retry that was started and no longer exists, with the reason. */
    public static List<String> gone(List<Job> started, List<Job> existing) {
        return started.stream()
                .filter(each -> existing.stream().noneMatch(other -> other.id == each.id))
                .map(each -> "Bulk retry " + each.id + " of " + each.name()
                        + " no longer exists: its subscription was deleted, or a replica that lacks it was promoted.")
                .toList();
    }

    /**
     * A bulk retry as {@code --output json} and the HTTP API show it.
     *
     * @param matched number of dead letters that matched at the start
     * @param failed number of retried messages whose next attempt failed again
     * @param pending number of retried messages whose outcome is not known
     * @param left number of matching messages that are not retried
     * @param stoppedBecause why it stopped by itself
     */
    public record BulkRetry(
            long id,
            String subscription,
            State state,
            int first,
            OptionalInt rate,
            long matched,
            long retried,
            long delivered,
            long failed,
            long pending,
            long left,
            Optional<String> waitsFor,
            Optional<String> stoppedBecause,
            String who,
            Optional<String> reason,
            Instant startedAt,
            Optional<Instant> endedAt) {}

    /** This job as a bulk retry. */
    public BulkRetry bulkRetry() {
        return new BulkRetry(
                id,
                name(),
                state,
                first.getAsInt(),
                rate,
                total.orElse(0),
                done,
                delivered,
                failed,
                pending,
                left(),
                waitsFor,
                error,
                who,
                reason,
                startedAt,
                endedAt);
    }
}
