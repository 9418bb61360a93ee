package dev.caravan.adopt.intake;

import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Retries rejected rows for which a person has asked. A row that was edited is used as it is stored, otherwise it is read from the source again. It
 * becomes a message, or a dead letter again, together with the removal of its entry: once, whatever happens in between.
 */
final class RejectedRows {
    /** Entries of one round: copying must not wait for long. */
    private static final int PAGE = 200;

    /** @param key of no columns if it was removed or made invalid with SQL */
    private record Entry(long id, long number, boolean edited, UUID messageId, RowKey key, int attempts) {
        static Entry of(ResultSet row) throws SQLException {
            return new Entry(
                    row.getLong("id"),
                    row.getLong("entry"),
                    row.getBoolean("edited"),
                    row.getObject("message_id", UUID.class),
                    key(row.getString("row_key")),
                    row.getInt("attempts"));
        }

        private static RowKey key(String json) {
            try {
                return json == null ? new RowKey(List.of()) : RowKey.of(json);
            } catch (IllegalArgumentException e) {
                return new RowKey(List.of());
            }
        }
    }

    private record Message(Entry entry, SourceRow.Valid row) {}

    private final Intake intake;
    private final IntakeStore store;
    private final SourceConnection connection;

    RejectedRows(Intake intake, IntakeStore store, SourceConnection connection) {
        this.intake = intake;
        this.store = store;
        this.connection = connection;
    }

    /** Retries the oldest entries. */
    void retry(long epoch, Source source) throws SQLException {
        List<Entry> entries = IntakeLoop.outbox(this::entries);
        if (entries.isEmpty()) {
            return;
        }
        List<RowKey> keys = entries.stream()
                .filter(entry -> !entry.edited())
                .map(Entry::key)
                .filter(source::fits)
                .distinct()
                .toList();
        Map<RowKey, Optional<SourceRow>> rows = find(source, keys);
        List<Entry> looked = entries.stream()
                .filter(entry -> entry.edited() || !source.fits(entry.key()) || rows.containsKey(entry.key()))
                .toList(); // the next round retries the others
        IntakeLoop.outbox(() -> {
            retry(epoch, source, looked, rows);
            return null;
        });
    }

    /** A key that the column refuses, such as a text that is a number now, belongs to a former table: no row has it. */
    private Map<RowKey, Optional<SourceRow>> find(Source source, List<RowKey> keys) throws SQLException {
        Map<RowKey, Optional<SourceRow>> found = new HashMap<>();
        Halves.work(
                keys,
                Set.of("22"),
                part -> found.putAll(source.find(connection.getConnection(), part)),
                (key, refusal) -> found.put(key, Optional.empty()));
        return found;
    }

    private List<Entry> entries() throws SQLException {
        return Sql.file("adopt/intake_retries")
                .with("subscription", store.subscription())
                .with("after", 0L)
                .with("limit", PAGE)
                .query(store.database(), Entry::of);
    }

    private void retry(long epoch, Source source, List<Entry> entries, Map<RowKey, Optional<SourceRow>> rows)
            throws SQLException {
        List<Message> messages = new ArrayList<>();
        for (Entry entry : entries) {
            Optional<SourceRow> row = rows.getOrDefault(entry.key(), Optional.empty());
            boolean isStored = entry.edited() || row.isEmpty();
            SourceRow retried = isStored ? stored(source, entry) : row.get();
            if (retried instanceof SourceRow.Valid valid) {
                messages.add(new Message(entry, valid));
            } else if (retried instanceof SourceRow.Rejected rejected) {
                deadAgain(entry, rejected, !isStored);
            }
        }
        Halves.work(
                messages,
                IntakeStore.DATA_ERRORS,
                part -> append(epoch, part),
                (message, refusal) -> deadAgain(
                        message.entry(),
                        IntakeStore.refused(message.row(), refusal),
                        !message.entry().edited()));
    }

    /** Null if a person has changed the entry meanwhile. */
    private SourceRow stored(Source source, Entry entry) throws SQLException {
        SourceRow row = Sql.file("adopt/intake_retry_row")
                .with("subscription", store.subscription())
                .with("id", entry.id())
                .with("entry", entry.number())
                .first(store.database(), found -> source.stored(entry.key(), entry.messageId(), found.getString(1)))
                .orElse(null);
        return row instanceof SourceRow.Rejected rejected && !entry.edited()
                ? new SourceRow.Rejected(
                        rejected.key(),
                        rejected.messageId(),
                        rejected.row(),
                        rejected.errorClass(),
                        "The row does not exist in the source any more, and as it was stored it is no message: "
                                + rejected.error())
                : row;
    }

    private void append(long epoch, List<Message> messages) throws SQLException {
        long held = IntakeStore.withMessages(
                        store.ofHolder("adopt/intake_retry_append", epoch),
                        messages.stream().map(Message::row).toList())
                .with("subscription", store.subscription())
                .withEach("ids", messages, message -> message.entry().id(), Long[]::new)
                .withEach("entries", messages, message -> message.entry().number(), Long[]::new)
                .withEach(
                        "keys",
                        intake.outcome().isEmpty() ? List.<Message>of() : messages,
                        RejectedRows::tracked,
                        String[]::new)
                .first(store.database(), row -> row.getLong(1))
                .orElse(0L);
        if (held == 0) {
            throw new IntakeStore.Lost();
        }
    }

    /** Null if the row is not known: no outcome is written back then. */
    private static String tracked(Message message) {
        RowKey key = message.entry().key();
        return key.values().isEmpty() ? null : key.json();
    }

    /** @param isRead whether the row was read from the source, and is stored as it is now */
    private void deadAgain(Entry entry, SourceRow.Rejected row, boolean isRead) throws SQLException {
        try {
            Transaction.run(store.database(), outbox -> deadAgain(outbox, entry, row, isRead));
        } catch (SQLException e) {
            Halves.requireRefusal(IntakeStore.DATA_ERRORS, e);
            Transaction.run(store.database(), outbox -> deadAgain(outbox, entry, row, false));
        }
    }

    private int deadAgain(Connection outbox, Entry entry, SourceRow.Rejected row, boolean isRead) throws SQLException {
        if (isRead) {
            Sql.file("adopt/intake_retry_refresh")
                    .with("subscription", store.subscription())
                    .with("id", entry.id())
                    .with("entry", entry.number())
                    .with("payload", row.row())
                    .update(outbox);
        }
        return Sql.file("engine/dead_letter_store")
                .with("subscription", store.subscription())
                .with("lane", 0)
                .with("relay", store.relay())
                .with("ids", new long[] {entry.id()})
                .with("entries", new long[] {entry.number()})
                .with("fresh", new long[0])
                .with("attempts", new int[] {entry.attempts() + 1})
                .with("answers", new String[] {""})
                .with("millis", new int[] {0})
                .with("errors", new long[] {1})
                .with("error_classes", new String[] {row.errorClass()})
                .with("error_texts", new String[] {IntakeStore.bounded(row.error())})
                .with("error_stacks", new String[] {""})
                .with("steps", new String[] {null})
                .query(outbox, found -> found.getLong(1))
                .size();
    }
}
