package dev.caravan.adopt.intake;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.ErrorText;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.operate.intake.Intakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.camel.util.function.ThrowingSupplier;

/**
 * The side of an intake on the database of the outbox. Each method is one transaction. All but the claim hold only for the epoch of a claim, and
 * change nothing if there is a later one. A failure, also one of a commit whose answer is lost, is no problem: the next claim returns the batch
 * that is stored.
 */
final class IntakeStore {
    /** How long an intake stays with a relay that does not renew it, by the clock of the database. */
    static final Duration LEASE = Duration.ofSeconds(10);

    /** The longest error that the tables store. */
    private static final int MOST_ERROR = 2_000;

    /** Classes of SQLSTATEs of a row that Postgres refuses: data, integrity, limits such as the depth of JSON, and triggers that raise an exception. */
    static final Set<String> DATA_ERRORS = Set.of("22", "23", "54", "P0");

    /** Another relay has claimed the intake. */
    static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * A claim.
     *
     * @param source the source of the batch
     * @param batch the rows that were copied and perhaps not marked; empty if all are marked
     */
    record Claim(long epoch, String source, Optional<List<RowKey>> batch, State state) {}

    /**
     * What a statement has found.
     *
     * @param at the time of the statement, by the clock of the database
     * @param hasRetries whether a person retries rejected rows
     */
    record State(boolean paused, Instant at, boolean hasRetries) {}

    private final LaneConnections database;
    private final Intake intake;
    private final String relay;

    /** @param relay name of this relay, for people */
    IntakeStore(LaneConnections database, Intake intake, String relay) {
        this.database = database;
        this.intake = intake;
        this.relay = relay;
    }

    /**
     * Claims the intake.
     *
     * @param epoch that of the last claim of this relay, which may claim it again at once; -1 before the first
     * @param isStart whether an intake that is halted is tried again
     * @return empty if another relay holds it, or it waits for a person
     */
    Optional<Claim> claim(long epoch, boolean isStart) throws SQLException {
        database.forgetHistory();
        return Sql.file("adopt/intake_claim")
                .with("intake", intake.name())
                .with("source", source(intake))
                .with("relay", relay)
                .with("epoch", epoch)
                .with("is_start", isStart)
                .with("lease_millis", LEASE.toMillis())
                .first(database, IntakeStore::claim);
    }

    private static Claim claim(ResultSet row) throws SQLException {
        return new Claim(
                row.getLong("epoch"),
                row.getString("source"),
                Optional.ofNullable(row.getString("batch")).map(IntakeStore::keys),
                new State(row.getBoolean("paused"), Sql.instant(row, "at"), true));
    }

    private static List<RowKey> keys(String batch) {
        List<RowKey> keys = new ArrayList<>();
        for (JsonNode key : Json.read(batch)) {
            keys.add(RowKey.of(key));
        }
        return keys;
    }

    /** The data source, the table, and the key if the file has one: a stored key belongs to these, and people see them. */
    static String source(Intake intake) {
        String table = intake.dataSource() + " " + intake.table();
        return intake.key().isEmpty() ? table : table + " (" + String.join(", ", intake.key()) + ")";
    }

    /** Whether the last claim was on another history of the database than the one before: after a failover or a restore. */
    boolean isOtherHistory() {
        return database.isOtherHistory();
    }

    /** Renews the lease, and changes nothing else. */
    State renew(long epoch) throws SQLException {
        return save(epoch, false, Optional.empty(), false);
    }

    /**
     * Renews the lease and saves what is known.
     *
     * @param isMarked whether the last batch is marked
     * @param caughtUpAt a time at which every pending row was read
     * @param works whether the last round was successful: deletes the last failure
     */
    State save(long epoch, boolean isMarked, Optional<Instant> caughtUpAt, boolean works) throws SQLException {
        return ofHolder("adopt/intake_save", epoch)
                .with("subscription", subscription())
                .with("lease_millis", LEASE.toMillis())
                .with("is_marked", isMarked)
                .with("caught_up_at", caughtUpAt.orElse(null))
                .with("works", works)
                .first(database, State.class)
                .orElseThrow(Lost::new);
    }

    /** Stores a failure. */
    void fail(long epoch, String error) throws SQLException {
        ofHolder("adopt/intake_fail", epoch).with("error", bounded(error)).update(database);
    }

    /** Lets the intake wait for a person, and releases it. */
    void halt(long epoch, String error) throws SQLException {
        ofHolder("adopt/intake_halt", epoch).with("error", bounded(error)).update(database);
    }

    /** Releases the intake. @param isMarked whether the last batch is marked */
    void release(long epoch, boolean isMarked) throws SQLException {
        ofHolder("adopt/intake_release", epoch).with("is_marked", isMarked).update(database);
    }

    /** Lets an intake with a wrong file wait for a person, unless another relay works it. */
    static void refuse(LaneConnections database, String intake, String source, String error) throws SQLException {
        Sql.file("adopt/intake_refuse")
                .with("intake", intake)
                .with("source", source)
                .with("error", bounded(error))
                .update(database);
    }

    /**
     * Appends the messages of rows in their order, stores dead letters for those that are none, and the keys of all of them, which are to be marked
     * now. If Postgres refuses a row, it becomes a dead letter too.
     */
    State copy(long epoch, List<SourceRow> rows) throws SQLException {
        List<SourceRow.Valid> valid = of(rows, SourceRow.Valid.class);
        String batch = rows.stream().map(row -> row.key().json()).collect(Collectors.joining(",", "[", "]"));
        if (valid.size() == rows.size()) {
            try (Connection connection = database.getConnection()) {
                return append(connection, epoch, batch, valid, 0);
            } catch (SQLException e) {
                Halves.requireRefusal(DATA_ERRORS, e);
            }
        }
        return Transaction.run(database, connection -> {
            append(connection, epoch, batch, List.of(), 0); // first, because it fails if the intake is lost
            List<SourceRow.Rejected> rejected = new ArrayList<>(of(rows, SourceRow.Rejected.class));
            Halves.work(
                    valid,
                    DATA_ERRORS,
                    part -> attempt(connection, () -> append(connection, epoch, batch, part, 0)),
                    (row, refusal) -> rejected.add(refused(row, refusal)));
            Halves.work(
                    rejected,
                    DATA_ERRORS,
                    part -> attempt(connection, () -> reject(connection, part)),
                    (row, refusal) -> reject(connection, List.of(withoutContent(row, refusal))));
            return append(connection, epoch, batch, List.of(), rejected.size());
        });
    }

    private static <R extends SourceRow> List<R> of(List<SourceRow> rows, Class<R> kind) {
        return rows.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** A part of a transaction, which is rolled back alone if Postgres refuses it. */
    private static void attempt(Connection connection, ThrowingSupplier<?, SQLException> part) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            part.get();
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            Halves.requireRefusal(DATA_ERRORS, e);
            connection.rollback(before);
            throw e;
        }
    }

    static SourceRow.Rejected refused(SourceRow.Valid row, SQLException refusal) {
        return RowDraft.refused(row, refusal.getClass().getName(), error(refusal));
    }

    /** For a row that cannot be stored at all, for example because of the encoding of the database. */
    private static SourceRow.Rejected withoutContent(SourceRow.Rejected row, SQLException refusal) {
        return new SourceRow.Rejected(
                row.key(),
                row.messageId(),
                "{}",
                row.errorClass(),
                "The row cannot be stored: " + refusal.getSQLState());
    }

    static String error(SQLException failure) {
        String line = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return bounded("Postgres refuses the message: " + ErrorText.masked(line) + " (SQLSTATE " + failure.getSQLState()
                + ")");
    }

    private State append(Connection connection, long epoch, String batch, List<SourceRow.Valid> rows, int rejected)
            throws SQLException {
        return withMessages(ofHolder("adopt/intake_copy", epoch), rows)
                .with("subscription", subscription())
                .with("lease_millis", LEASE.toMillis())
                .with("batch", batch)
                .with("copied", (long) rows.size())
                .with("rejected", (long) rejected)
                .withEach(
                        "keys",
                        intake.outcome().isEmpty() ? List.<SourceRow.Valid>of() : rows,
                        row -> row.key().json(),
                        String[]::new)
                .first(connection, State.class)
                .orElseThrow(Lost::new);
    }

    static Sql withMessages(Sql statement, List<SourceRow.Valid> rows) {
        return statement
                .withEach("message_ids", rows, row -> row.messageId().toString(), String[]::new)
                .withEach("aggregate_types", rows, SourceRow.Valid::aggregateType, String[]::new)
                .withEach("aggregate_ids", rows, SourceRow.Valid::aggregateId, String[]::new)
                .withEach("types", rows, SourceRow.Valid::type, String[]::new)
                .withEach("headers", rows, row -> row.headers().orElse(null), String[]::new)
                .withEach("payloads", rows, row -> row.payload().orElse(null), String[]::new)
                .withEach("payloads_bytes", rows, row -> row.payloadBytes().orElse(null), byte[][]::new);
    }

    private int reject(Connection connection, List<SourceRow.Rejected> rows) throws SQLException {
        boolean isWrittenBack = intake.outcome().flatMap(Intake.Outcome::dead).isPresent();
        return Sql.file("adopt/intake_reject")
                .with("intake", intake.name())
                .with("subscription", subscription())
                .with("relay", relay)
                .with("ids", unusedIds(connection, rows.size()))
                .withEach("message_ids", rows, row -> row.messageId().toString(), String[]::new)
                .withEach("aggregate_ids", rows, row -> row.key().text(), String[]::new)
                .withEach("row_keys", rows, row -> row.key().json(), String[]::new)
                .withEach("payloads", rows, SourceRow.Rejected::row, String[]::new)
                .withEach("error_classes", rows, SourceRow.Rejected::errorClass, String[]::new)
                .withEach("error_texts", rows, row -> bounded(row.error()), String[]::new)
                .withEach(
                        "keys",
                        isWrittenBack ? rows : List.<SourceRow.Rejected>of(),
                        row -> row.key().json(),
                        String[]::new)
                .update(connection);
    }

    private static Long[] unusedIds(Connection connection, int count) throws SQLException {
        Savepoint before = connection.setSavepoint();
        List<Long> ids =
                Sql.file("adopt/intake_rejected_ids").with("count", count).query(connection, row -> row.getLong(1));
        connection.rollback(before);
        return ids.toArray(Long[]::new);
    }

    Sql ofHolder(String file, long epoch) {
        return Sql.file(file).with("intake", intake.name()).with("epoch", epoch);
    }

    String subscription() {
        return Intakes.subscription(intake.name());
    }

    LaneConnections database() {
        return database;
    }

    String relay() {
        return relay;
    }

    static String bounded(String error) {
        String storable = Texts.storable(error);
        return storable.length() <= MOST_ERROR ? storable : Texts.bounded(storable, MOST_ERROR);
    }
}
