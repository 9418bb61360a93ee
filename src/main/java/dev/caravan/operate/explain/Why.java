package dev.caravan.operate.explain;

import dev.caravan.base.message.Key;
import dev.caravan.database.Column;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Explains for each subscription why a message is not delivered yet. */
public final class Why {
    /** Maximum number of rows of the outbox that one search examines. */
    static final int EXAMINED = 100_000;

    /** The rate of deliveries. */
    @FunctionalInterface
    public interface Rate {
        /** Messages that a subscription delivers per second; empty if unknown. */
        Optional<Double> perSecond(String subscription) throws SQLException;
    }

    /**
     * @param explanations one for each subscription; one without a subscription if no message has the id
     * @param note what was not examined; empty if nothing was left out
     */
    public record Answer(List<Explanation> explanations, String note) {}

    /** @param subscription where it was found; empty for the outbox */
    private record Message(@Column("aggregate_") Key key, String type, Optional<String> subscription) {
        /** Those of the subscriptions that may have it: the id of a rejected row is that of no message. */
        List<String> readers(List<String> subscriptions) {
            return subscriptions.stream()
                    .filter(name -> subscription
                            .filter(from -> Intakes.ofSubscription(from).isPresent())
                            .map(name::equals)
                            .orElseGet(() -> Intakes.ofSubscription(name).isEmpty()))
                    .toList();
        }
    }

    private final DataSource database;
    private final Rate rate;

    public Why(DataSource database, Rate rate) {
        this.database = database;
        this.rate = rate;
    }

    public Answer of(Subject subject) throws SQLException {
        if (subject.id().isPresent()) {
            return new Answer(ofId(subject.id().getAsLong()), "");
        }
        return subject.messageId().isPresent()
                ? ofMessageId(subject.messageId().get())
                : ofKey(subject.key().orElseThrow());
    }

    private Answer ofMessageId(UUID messageId) throws SQLException {
        List<Long> found = Find.idsOf(messageId, EXAMINED, database);
        return found.isEmpty()
                ? new Answer(
                        List.of(),
                        "No dead letter has this message id, and none of the newest 100,000 messages of the outbox, of"
                                + " 100,000 waiting and 100,000 discarded ones, and of the last 100,000 changes in the"
                                + " audit. Use the id in the outbox or the key instead.")
                : new Answer(ofId(found.get(0)), "");
    }

    private Answer ofKey(Key key) throws SQLException {
        Map<Long, List<String>> places = new LinkedHashMap<>();
        List<String> cut = new ArrayList<>();
        List<String> nowhere = new ArrayList<>();
        Transaction.run(database, connection -> Sql.file("operate/of_key")
                .with("keyType", key.type())
                .with("keyId", key.id())
                .with("examined", EXAMINED)
                .query(connection, row -> {
                    String name = row.getString("name");
                    if (row.getObject("id") == null) {
                        nowhere.add(name);
                    } else {
                        places.computeIfAbsent(row.getLong("id"), id -> new ArrayList<>())
                                .add(name);
                    }
                    return row.getBoolean("more") && cut.add(name);
                }));
        List<Explanation> all = new ArrayList<>();
        for (Map.Entry<Long, List<String>> place : places.entrySet()) {
            all.addAll(ofId(place.getKey(), place.getValue()));
        }
        return new Answer(all, note(nowhere, cut));
    }

    private static String note(List<String> nowhere, List<String> cut) {
        List<String> notes = new ArrayList<>();
        if (!nowhere.isEmpty()) {
            notes.add("No message of this key is waiting or dead in " + String.join(", ", nowhere)
                    + ", and none is among the newest 100,000 messages.");
        }
        if (!cut.isEmpty()) {
            notes.add("Only the first 100,000 messages after the lowest undelivered one were examined in "
                    + String.join(", ", cut) + ".");
        }
        return String.join(" ", notes);
    }

    private List<Explanation> ofId(long id) throws SQLException {
        return ofId(id, new Subscriptions(database).withIntakes());
    }

    private List<Explanation> ofId(long id, List<String> subscriptions) throws SQLException {
        Optional<Message> message = message(id);
        if (message.isEmpty()) {
            return absent(id);
        }
        List<Facts> facts = facts(id, message.get(), subscriptions);
        Instant now = DatabaseClock.now(database);
        List<Explanation> all = new ArrayList<>();
        for (Facts of : facts) {
            all.add(explained(of, id, now));
        }
        return all;
    }

    /** Why an intake copies no rows, or that it copies them; empty if there is no intake of this name. */
    public Optional<List<WaitReason>> ofIntake(String name) throws SQLException {
        Optional<IntakeStatus> intake = new Intakes(database).find(name);
        return intake.isEmpty()
                ? Optional.empty()
                : Optional.of(Transaction.run(database, connection -> IntakeReasons.of(connection, intake.get())));
    }

    /** What became of a message in a subscription after the last change of it by a person. */
    public Outcome outcome(String subscription, long id) throws SQLException {
        List<AuditEntry> history = new Audit(database).ofMessage(subscription, id); // before the facts, which are newer
        Optional<Message> message = message(id);
        Optional<Facts> facts = message.isEmpty()
                ? Optional.empty()
                : facts(id, message.get(), List.of(subscription)).stream().findFirst();
        Instant now = DatabaseClock.now(database);
        Explanation explanation =
                facts.isPresent() ? explained(facts.get(), id, now) : absent(id).get(0);
        Outcome outcome = Outcome.of(subscription, facts, explanation, history, now);
        return outcome.isDelivered() && !history.isEmpty() && isDeletedSince(subscription, history)
                ? outcome.ofDeleted()
                : outcome;
    }

    private boolean isDeletedSince(String subscription, List<AuditEntry> history) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("operate/deleted_since")
                .with("subscription", subscription)
                .with("entry", history.get(history.size() - 1).id())
                .first(connection, row -> row.getBoolean(1))
                .isPresent());
    }

    private Optional<Message> message(long id) throws SQLException {
        return Transaction.run(
                database,
                connection -> Sql.file("operate/message").with("id", id).first(connection, Message.class));
    }

    private List<Facts> facts(long id, Message message, List<String> subscriptions) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("operate/facts")
                .with("type", message.type())
                .with("keyType", message.key().type())
                .with("keyId", message.key().id())
                .with("id", id)
                .with("examined", EXAMINED)
                .with("subscriptions", message.readers(subscriptions).toArray(String[]::new))
                .query(connection, Facts.class));
    }

    private Explanation explained(Facts of, long id, Instant now) throws SQLException {
        boolean needsRate = of.isUnread() && of.notReached() && of.ahead() > 0;
        Optional<Double> measured = needsRate ? rate.perSecond(of.subscription()) : Optional.empty();
        return Reasons.of(of, id, measured, now);
    }

    private List<Explanation> absent(long id) throws SQLException {
        List<OpenTransaction> writers =
                OpenTransaction.all(database); // read before the gaps, so that none that ends meanwhile is missed
        return Transaction.run(database, connection -> absent(connection, id, writers));
    }

    private static List<Explanation> absent(Connection connection, long id, List<OpenTransaction> writers)
            throws SQLException {
        return Sql.file("operate/absent")
                .with("id", id)
                .first(
                        connection,
                        row -> Absent.of(
                                id,
                                row.getLong("last_id"),
                                Optional.ofNullable((Long) row.getObject("lowest")),
                                names(row, "missing_in"),
                                names(row, "discarded_in"),
                                names(row, "copied_in"),
                                writers))
                .orElseThrow();
    }

    private static List<String> names(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }
}
