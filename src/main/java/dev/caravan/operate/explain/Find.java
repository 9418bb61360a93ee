package dev.caravan.operate.explain;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Page;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Finds messages in all tables by their id, message id or key, or by a part of their error. Reads a bounded number of rows. */
public final class Find {
    /** Number of the newest messages of the outbox that are searched for a key or a message id. */
    public static final int NEWEST = 50_000;

    /**
     * What was found.
     *
     * @param complete whether all dead letters and waiting messages were searched and all that match are among the items
     */
    public record Result(List<Found> items, boolean complete) {}

    private final DataSource database;
    private final List<Found> found = new ArrayList<>();
    private boolean complete = true;

    private Find(DataSource database) {
        this.database = database;
    }

    /** @param text an id of the outbox, a UUID, a key {@code TYPE/ID}; anything else is a part of an error */
    public static Result of(DataSource database, String text, int limit) throws SQLException {
        Find find = new Find(database);
        Optional<Subject> subject = Subject.parse(text);
        if (subject.flatMap(Subject::key).isPresent()) {
            find.key(subject.get().key().orElseThrow(), limit);
        }
        if (subject.flatMap(Subject::messageId).isPresent()) {
            find.messageId(subject.get().messageId().orElseThrow());
        }
        if (subject.filter(asked -> asked.id().isPresent()).isPresent()) {
            find.id(subject.get().id().getAsLong());
        }
        if (subject.isEmpty() || subject.get().key().isPresent() && find.found.isEmpty()) {
            find.error(text, limit); // an error may contain a slash
        }
        return find.result(limit);
    }

    private void key(Key key, int limit) throws SQLException {
        dead(Optional.of(key), Optional.empty(), limit);
        waiting(Optional.of(key), Optional.empty(), false, limit);
        waiting(Optional.of(key), Optional.empty(), true, limit);
        found.addAll(Transaction.run(database, connection -> Sql.file("operate/newest_of_key")
                .with("examined", NEWEST)
                .with("keyType", key.type())
                .with("keyId", key.id())
                .with("limit", limit)
                .query(connection, Found.class)));
    }

    private void error(String error, int limit) throws SQLException {
        dead(Optional.empty(), Optional.of(error), limit);
        waiting(Optional.empty(), Optional.of(error), false, limit);
    }

    private void dead(Optional<Key> key, Optional<String> error, int limit) throws SQLException {
        Page<DeadLetterSummary> page = new DeadLetterSearch(database)
                .page(MessageFilter.of(Optional.empty(), Optional.empty(), key, error), Optional.empty(), limit);
        page.items().forEach(letter -> found.add(Found.of(letter)));
        complete &= page.next().isEmpty();
    }

    private void waiting(Optional<Key> key, Optional<String> error, boolean blocked, int limit) throws SQLException {
        Page<WaitingSummary> page = new WaitingSearch(database)
                .page(
                        MessageFilter.of(Optional.empty(), Optional.empty(), key, error)
                                .waiting(Optional.empty(), blocked),
                        Optional.empty(),
                        limit);
        page.items().forEach(message -> found.add(Found.of(message)));
        complete &= page.next().isEmpty();
    }

    private void messageId(UUID messageId) throws SQLException {
        for (long id : idsOf(messageId, NEWEST, database)) {
            id(id);
        }
    }

    /** @param examined how many rows of each table without an index on the message id are examined */
    static List<Long> idsOf(UUID messageId, int examined, DataSource database) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("operate/find_message")
                .with("messageId", messageId)
                .with("examined", examined)
                .query(connection, row -> row.getLong(1)));
    }

    private void id(long id) throws SQLException {
        found.addAll(Transaction.run(
                database, connection -> Sql.file("operate/by_id").with("id", id).query(connection, Found.class)));
    }

    /** A message of the outbox that is also dead or waits is listed once for each subscription, with that state. */
    private Result result(int limit) {
        Set<Long> failed = found.stream()
                .filter(each -> each.subscription().isPresent())
                .map(Found::id)
                .collect(Collectors.toSet());
        List<Found> items = found.stream()
                .filter(each -> each.subscription().isPresent() || !failed.contains(each.id()))
                .sorted(Found.LATEST_FAILURE_FIRST)
                .toList();
        return new Result(items.subList(0, Math.min(limit, items.size())), complete && items.size() <= limit);
    }
}
