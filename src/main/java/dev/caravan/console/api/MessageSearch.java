package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.database.Column;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.failed.ShownContent;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.list.Parts;
import dev.caravan.operate.subscription.Obstacle;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Finds messages of the outbox and their state in each subscription. */
final class MessageSearch {
    /** Number of messages that one request searches. Not of ids: somebody may have chosen one far away from the others. */
    private static final int WINDOW = 50_000;

    private static final int MAX_ITEMS = 100;

    /** The names of all fields of a summary. */
    static final List<String> COLUMNS = Json.names(Summary.class);

    private static final Set<String> LOOKS_FINISHED = Set.of("delivered", "not selected");

    /** The states in which a message waits for its lane. */
    private static final Set<String> WAITS = Set.of("waiting", "not reached", "not delivered yet", "in flight");

    /** Selects messages. An empty field matches all. */
    record Filter(Optional<Key> key, Optional<UUID> messageId, Optional<String> types) {}

    /** A message without its content. */
    @JsonPropertyOrder({"id", "messageId", "key", "parts", "type"})
    record Identity(
            long id,
            UUID messageId,

            @JsonSerialize(using = ToStringSerializer.class) @Column("aggregate_")
            Key key,

            String type,
            Instant createdAt) {
        @JsonProperty
        @JsonUnwrapped
        Key parts() {
            return key;
        }
    }

    record Summary(@JsonUnwrapped Identity identity, long bytes) {}

    /**
     * One window of messages.
     *
     * @param searchedDownTo 0 at the end of the outbox
     * @param more whether there may be lower ids
     */
    record Window(List<Summary> items, long searchedDownTo, boolean more) {}

    /**
     * A message.
     *
     * @param pruned whether it was in the outbox and is there no more
     * @param intake the intake, as a subscription, whose rejected row it is; empty for a message of the outbox
     */
    record Whole(
            @JsonUnwrapped Identity identity,
            boolean pruned,
            @JsonUnwrapped ShownContent content,
            @JsonIgnore Optional<String> intake) {
        static Whole of(ResultSet row, Shown shown) throws SQLException {
            Optional<String> intake = Optional.ofNullable(row.getString("subscription"))
                    .filter(name -> Intakes.ofSubscription(name).isPresent());
            boolean pruned = row.getInt("place") > 1 && intake.isEmpty();
            return new Whole(Sql.records(Identity.class).read(row), pruned, shown.of(StoredContent.of(row)), intake);
        }
    }

    /** Its last failure in a subscription in which it waits or is dead. */
    record Failure(
            int attempts,
            Optional<Instant> nextAttemptAt,
            Optional<Instant> firstFailedAt,
            Optional<Instant> lastFailedAt,
            Optional<String> errorClass,
            Optional<String> errorText,
            Optional<String> answer,
            List<FailedAttempt> failures) {
        static Failure of(ResultSet row) throws SQLException {
            return new Failure(
                    row.getInt("attempts"),
                    Sql.time(row, "next_attempt_at"),
                    Sql.time(row, "first_failed_at"),
                    Sql.time(row, "last_failed_at"),
                    Optional.ofNullable(row.getString("error_class")),
                    Optional.ofNullable(row.getString("error_text")),
                    Optional.ofNullable(row.getString("answer")),
                    FailedAttempt.all(row));
        }
    }

    /**
     * A message in a subscription.
     *
     * @param obstacle what stops its lane; empty if the message does not wait for it
     */
    record State(
            String subscription,
            String state,
            int lane,
            Optional<String> owner,
            boolean paused,
            Optional<Obstacle> obstacle,
            @JsonUnwrapped Optional<Failure> failure) {
        static State of(ResultSet row) throws SQLException {
            String state = stateName(row);
            Optional<Instant> nextAttempt = Sql.time(row, "next_attempt_at");
            return new State(
                    row.getString("name"),
                    state,
                    row.getInt("lane"),
                    Optional.ofNullable(row.getString("owner")),
                    row.getBoolean("paused"),
                    WAITS.contains(state)
                            ? Obstacle.of(row)
                                    .filter(found ->
                                            nextAttempt.map(found::delays).orElse(true))
                            : Optional.empty(),
                    row.getObject("attempts") == null ? Optional.empty() : Optional.of(Failure.of(row)));
        }

        /**
         * Corrects the state of a message that a person changed last, which only the audit knows: a discarded one looks delivered or not
         * selected, and a retried one that is delivered looks not selected if the subscription no longer selects its type.
         */
        State corrected(List<AuditEntry> audit) {
            return audit.stream()
                    .filter(entry -> entry.subscription().equals(subscription))
                    .reduce((first, second) -> second)
                    .filter(last -> LOOKS_FINISHED.contains(state))
                    .flatMap(Outcome::finished)
                    .map(finished ->
                            new State(subscription, finished.toString(), lane, owner, paused, obstacle, failure))
                    .orElse(this);
        }
    }

    /** A message with its state in each subscription; a rejected row with its state in its intake. */
    record Details(Whole message, List<State> subscriptions, List<AuditEntry> audit) {}

    private final DataSource database;

    MessageSearch(DataSource database) {
        this.database = database;
    }

    /**
     * Searches one window of messages, newest first.
     *
     * @param before search only below this id
     */
    Window find(Filter filter, Optional<Long> before) throws SQLException {
        long highest = before.map(id -> id - 1).orElse(Long.MAX_VALUE);
        return Transaction.run(database, connection -> {
            List<Summary> found = find(connection, filter, highest);
            Optional<Long> last = found.size() > MAX_ITEMS
                    ? Optional.of(found.get(MAX_ITEMS - 1).identity().id())
                    : Sql.file("console/end_of_window")
                            .with("highest", highest)
                            .with("window", WINDOW)
                            .first(connection, row -> row.getLong(1));
            List<Summary> items = found.subList(0, Math.min(found.size(), MAX_ITEMS));
            return new Window(items, last.orElse(0L), last.isPresent());
        });
    }

    /** One more than are shown, if there are so many. */
    private static List<Summary> find(Connection connection, Filter filter, long highest) throws SQLException {
        return Sql.file("console/find_messages")
                .with("highest", highest)
                .with("window", WINDOW)
                .with("keyType", filter.key().map(Key::type).orElse(null))
                .with("keyId", filter.key().map(Key::id).orElse(null))
                .with("messageId", filter.messageId().orElse(null))
                .with("types", TypePatterns.like(filter.types().orElse("*")))
                .with("limit", MAX_ITEMS + 1)
                .query(connection, Summary.class);
    }

    /** All messages that match, newest first. */
    Parts<Summary> parts(Filter filter) {
        Parts<Window> windows = Parts.of(
                1,
                last -> last.isPresent() && !last.get().more()
                        ? List.of()
                        : List.of(find(filter, last.map(Window::searchedDownTo))));
        return windows.map(
                found -> found.stream().flatMap(each -> each.items().stream()).toList());
    }

    /** A message with its state in each subscription; empty when no message has this id. */
    Optional<Details> show(long id, Shown shown) throws SQLException {
        return Transaction.run(database, connection -> {
            Optional<Whole> found = Sql.file("console/message_by_id")
                    .with("mostBytes", StoredContent.MOST_BYTES)
                    .with("id", id)
                    .first(connection, row -> Whole.of(row, shown));
            return found.isEmpty() ? Optional.empty() : Optional.of(details(connection, found.get()));
        });
    }

    /** The last change by a person of a message that is no longer stored; empty if there is none. */
    Optional<AuditEntry> lastChange(long id) throws SQLException {
        List<String> subscriptions = new Subscriptions(database).withIntakes();
        return Transaction.run(database, connection -> Audit.ofMessage(connection, subscriptions, id).stream()
                .reduce((first, second) -> second));
    }

    private static Details details(Connection connection, Whole message) throws SQLException {
        Identity identity = message.identity();
        List<State> states = Sql.file("console/message_states")
                .with("type", identity.type())
                .with("keyType", identity.key().type())
                .with("keyId", identity.key().id())
                .with("id", identity.id())
                .with("intake", message.intake().orElse(null))
                .query(connection, State::of);
        List<AuditEntry> audit = Audit.ofMessage(
                connection, states.stream().map(State::subscription).toList(), identity.id());
        return new Details(
                message, states.stream().map(state -> state.corrected(audit)).toList(), Shown.NAMES_ONLY.all(audit));
    }

    private static String stateName(ResultSet row) throws SQLException {
        if (row.getBoolean("dead")) {
            return "dead";
        }
        if (row.getObject("blocked") != null) {
            return row.getBoolean("blocked") ? "blocked" : "waiting";
        }
        if (row.getBoolean("not_selected")) {
            return "not selected";
        }
        if (row.getBoolean("not_reached")) {
            return "not reached";
        }
        if (row.getBoolean("open")) {
            return row.getString("owner") == null ? "not delivered yet" : "in flight";
        }
        return "delivered";
    }
}
