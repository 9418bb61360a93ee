package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Reason;
import dev.caravan.base.text.Sentence;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.camel.util.function.ThrowingRunnable;
import org.apache.camel.util.function.ThrowingSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One intake in this relay: claims it, reads rows, copies them into the outbox, and marks them in the source. The order of these steps, each of which
 * is one transaction, decides that no row is lost or copied twice:
 *
 * <ol>
 *   <li>The copy stores the keys of its rows with their messages. It fails if another relay has claimed the intake since.
 *   <li>The mark hits only rows that are pending, and is committed only while the lease holds: the rows are locked by then, so that a holder that
 *       wakes up late cannot mark a row that the application has set to pending again.
 *   <li>Nothing is read before the last batch is marked, also by the next holder, which gets its keys with the claim.
 * </ol>
 */
final class IntakeLoop {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeLoop.class);

    /** The pause between two claims while another relay has the intake, and between two rounds while it is paused. */
    private static final Duration STANDBY = Duration.ofSeconds(1);

    /** How often an idle intake writes to the database of the outbox. */
    private static final Duration SAVE_INTERVAL = Duration.ofSeconds(1);

    private static final Duration RENEW_INTERVAL = Duration.ofSeconds(3);

    /** A step that takes longer is given up: another relay may take over. */
    private static final Duration LONGEST_STEP = Duration.ofMinutes(5);

    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    /** The intake must wait for a person. */
    static final class Halt extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Halt(String message) {
            super(message);
        }
    }

    /** The database of the outbox has failed. */
    static final class OutboxFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutboxFailure(Exception cause) {
            super(cause);
        }
    }

    private final Intake intake;
    private final IntakeStore store;
    private final SourceConnection connection;
    private final Clock clock;
    private final IntakeFailures failures;
    private final RejectedRows rejectedRows;
    private final Optional<Outcomes> outcomes;
    private final Beside retries;
    private final Beside writtenBack;
    private final List<Beside> besides;
    private final ReentrantLock turns = new ReentrantLock();
    private final Object wake = new Object();

    private volatile boolean stopping;
    private boolean isFirstClaim = true;
    private long lastEpoch = -1;
    /** Null while another relay has the intake. */
    private volatile IntakeLease lease;
    /** Null before the first use of a connection. */
    private Source source;

    private IntakeStore.State state;
    private long savedAt;
    /** Rows that were copied and not marked yet. */
    private List<RowKey> unmarked = List.of();
    /** Whether the database of the outbox has the keys of a batch. */
    private boolean isBatchStored;
    /** Whether a mark has ended the condition {@code pending} of a row. */
    private boolean isMarkProven;
    /** The rows that were marked last. */
    private Set<RowKey> marked = Set.of();
    /** Rows of a first batch of which none was pending when it was marked. */
    private List<RowKey> suspects = List.of();

    private boolean isChecked;
    private boolean isFailing;
    private long warnedAt;
    private Duration pause = Duration.ZERO;
    private Source.Rows read;
    /** Whether the rows of this poll were copied: while it is suspended, Camel does not process them. */
    private boolean isCopied;
    /** What failed in this poll; null if nothing did. */
    private RuntimeException failure;

    IntakeLoop(Intake intake, IntakeStore store, SourceConnection connection, Clock clock) {
        this.intake = intake;
        this.store = store;
        this.connection = connection;
        this.clock = clock;
        failures = new IntakeFailures(intake.name(), clock);
        rejectedRows = new RejectedRows(intake, store, connection);
        outcomes = intake.outcome().map(outcome -> new Outcomes(intake, outcome, store, connection, clock));
        retries = new Beside("rejected rows could not be retried", new IntakeFailures(intake.name(), clock), clock);
        writtenBack = new Beside("an outcome could not be written", new IntakeFailures(intake.name(), clock), clock);
        besides = List.of(retries, writtenBack);
        warnedAt = clock.nanos() - BETWEEN_WARNINGS.toNanos();
    }

    Intake intake() {
        return intake;
    }

    SourceConnection connection() {
        return connection;
    }

    /**
     * One round.
     *
     * @param poll reads with {@link #statement} and {@link #received}, copies with {@link #copy} and marks with {@link #mark}
     * @return whether the next round should follow at once
     */
    boolean turn(Callable<Integer> poll) {
        if (!await()) {
            return false;
        }
        turns.lock();
        try {
            return !stopping && work(poll);
        } catch (Exception e) {
            failed(e);
            return false;
        } catch (Error e) {
            forget(); // whatever was committed: the next claim returns it
            throw e;
        } finally {
            turns.unlock();
        }
    }

    /** Waits as long as the last round says; returns false after a stop. */
    private boolean await() {
        long end = clock.nanos() + pause.toNanos();
        pause = Duration.ZERO;
        synchronized (wake) {
            try {
                for (long left = end - clock.nanos(); left > 0 && !stopping; left = end - clock.nanos()) {
                    TimeUnit.NANOSECONDS.timedWait(wake, left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return !stopping;
    }

    private boolean work(Callable<Integer> poll) throws Exception {
        if (lease == null && !claim()) {
            pause = STANDBY;
            return false;
        }
        renewIfDue();
        connection.refresh();
        if (!unmarked.isEmpty()) {
            mark(unmarked, true);
        }
        workBesides();
        return state.paused() ? paused() : copied(poll);
    }

    private void workBesides() throws SQLException {
        if (state.hasRetries() || retries.isFailing()) {
            beside(retries, () -> rejectedRows.retry(lease.epoch(), source()));
        }
        if (outcomes.isPresent()) {
            beside(writtenBack, () -> outcomes.get().write(source(), this::requireLease));
        }
    }

    private void beside(Beside work, ThrowingRunnable<SQLException> steps) throws SQLException {
        connection.getConnection(); // without one, copying fails as well
        Optional<String> failed = work.run(steps);
        if (failed.isPresent()) {
            connection.close();
            isFailing = true;
            storeFailure(failed.get());
        }
    }

    private boolean claim() {
        long asked = clock.elapsed();
        Optional<IntakeStore.Claim> claim = outbox(() -> store.claim(lastEpoch, isFirstClaim));
        isFirstClaim = false; // an intake that is halted from now on was halted by another relay with this file
        warnOfOtherHistory();
        claim.ifPresent(claimed -> {
            lastEpoch = claimed.epoch();
            lease = new IntakeLease(claimed.epoch(), asked);
            isBatchStored = claimed.batch().isPresent();
            unmarked = claimed.batch().orElse(List.of());
            isFailing = true; // whatever an earlier holder has stored is over after the first round
            saved(claimed.state());
            requireSameSource(claimed);
            LOG.info("Intake {} is worked by this relay: it copies {}", intake.name(), IntakeStore.source(intake));
        });
        return claim.isPresent();
    }

    /** Rows whose copy was lost by a failover of the outbox cannot be found: they are marked. A person can compare. */
    private void warnOfOtherHistory() {
        if (lastEpoch >= 0 && store.isOtherHistory()) {
            LOG.warn(
                    "Intake {}: the database of the outbox was replaced by a replica or a backup. Rows that were copied shortly before may be"
                            + " marked in the source and have no message, if the new server had not received it. Compare the rows that were"
                            + " marked last with the outbox, and set those without a message back to pending",
                    intake.name());
        }
    }

    /** Stored keys say nothing about the rows of another table: their mark would end rows that were never copied. */
    private void requireSameSource(IntakeStore.Claim claimed) {
        if (!unmarked.isEmpty() && !claimed.source().equals(IntakeStore.source(intake))) {
            throw new Halt(Formatted.counted(unmarked.size(), "row") + " of " + claimed.source()
                    + " were copied, and it is not known whether they are marked; but " + intake.file()
                    + " names another data source, table or key: " + IntakeStore.source(intake)
                    + ". Put the former ones back and start the relay, which marks them; then change the file. Or mark"
                    + " them yourself, remove the intake, and restart the relay");
        }
    }

    private void renewIfDue() {
        if (clock.elapsed() - lease.renewedAt() > RENEW_INTERVAL.toNanos()) {
            save(Optional.empty(), false);
        }
    }

    private boolean paused() {
        connection.close();
        if (isBatchStored || isSaveDue()) {
            save(Optional.empty(), false);
        }
        pause = STANDBY;
        return false;
    }

    private boolean copied(Callable<Integer> poll) throws Exception {
        if (source().readsInTransaction()) { // camel-sql executes its statement next
            connection.getConnection().setAutoCommit(false);
        }
        Instant before = state.at().plusNanos(Math.max(0, clock.nanos() - savedAt));
        read = null;
        isCopied = false;
        failure = null;
        poll.call();
        if (failure != null) {
            throw failure;
        }
        if (!unmarked.isEmpty()) {
            mark(unmarked, false); // Camel has not called onConsume
        }
        boolean isCaughtUp =
                read != null && !read.more() && (isCopied || read.rows().isEmpty());
        boolean isOver = isFailing && besides.stream().noneMatch(Beside::isFailing);
        if (isCaughtUp && (isBatchStored || isOver || isSaveDue())) {
            save(Optional.of(before), true);
        } else if (isCopied && isOver) {
            save(Optional.empty(), true); // it works, although more rows are pending
        }
        failures.succeeded();
        return read != null && read.more();
    }

    private boolean isSaveDue() {
        return clock.nanos() - savedAt >= SAVE_INTERVAL.toNanos();
    }

    /** All rows that were copied are marked by now. */
    private void save(Optional<Instant> caughtUpAt, boolean works) {
        boolean isMarked = isBatchStored && unmarked.isEmpty();
        boolean isWorking = works && besides.stream().noneMatch(Beside::isFailing);
        renewed(() -> store.save(lease.epoch(), isMarked, caughtUpAt, isWorking));
        isBatchStored = isBatchStored && !isMarked;
        isFailing = isFailing && !isWorking;
    }

    private void renewed(ThrowingSupplier<IntakeStore.State, SQLException> statement) {
        long asked = clock.elapsed();
        IntakeStore.State found = outbox(statement);
        lease.renewed(asked);
        saved(found);
    }

    private void saved(IntakeStore.State found) {
        state = found;
        savedAt = clock.nanos();
    }

    /** The statement that reads. */
    String statement() {
        return source.select();
    }

    /** The number of rows that the driver fetches at once. */
    int fetchSize() {
        return source.fetchSize();
    }

    /** Reads the rows of a poll. */
    List<SourceRow> received(ResultSet rows) throws SQLException {
        read = source.read(rows);
        rows.close(); // the connection marks them next
        if (source.readsInTransaction()) {
            connection.getConnection().setAutoCommit(true);
        }
        return read.rows();
    }

    /** Copies the rows of a poll. A failure is thrown again at its end. */
    void copy(List<SourceRow> rows) {
        try {
            requireMarkable(rows);
            if (rows.stream().map(SourceRow::key).anyMatch(marked::contains)) {
                isMarkProven = false; // the application has set a row back; or the mark does not hold for this row
            }
            renewed(() -> store.copy(lease.epoch(), rows));
            isBatchStored = true;
            isCopied = true;
            unmarked = rows.stream().map(SourceRow::key).toList();
        } catch (IntakeStore.Lost | Halt | OutboxFailure e) {
            failure = e;
            throw e;
        } catch (RuntimeException e) {
            failure = new OutboxFailure(e); // it may have been committed
            throw failure;
        }
    }

    /** If the first batch was not marked because its keys match no row, each round would copy it again. */
    private void requireMarkable(List<SourceRow> rows) {
        if (suspects.isEmpty()) {
            return;
        }
        List<RowKey> last = suspects;
        suspects = List.of();
        if (rows.stream().map(SourceRow::key).anyMatch(last::contains)) {
            throw new Halt("The mark of " + intake.file() + " changed no row, and the rows are still pending. Use a key"
                    + " that the database compares exactly, such as a number or a text, and restart the relay");
        }
    }

    /** Marks the rows that were copied. */
    int mark() throws SQLException {
        return unmarked.isEmpty() ? 0 : mark(unmarked, false);
    }

    private int mark(List<RowKey> rows, boolean isRepeated) throws SQLException {
        Source marking = source();
        int changed = connection.inTransaction(transaction -> {
            // without locks: few pending rows lead MariaDB to the index on the condition, where it would wait for
            // locked rows of others
            boolean isOver = isRepeated && marking.pending(transaction, rows) == 0;
            int hit = isOver ? 0 : marking.mark(transaction, rows);
            if (!isMarkProven && hit > 0 && marking.pending(transaction, rows) > 0) {
                throw new Halt(
                        "The mark of " + intake.file() + " does not end the condition pending: " + intake.pending()
                                + ". Rows would be copied again and again. Correct mark or pending, and restart the relay");
            }
            requireLease();
            return hit;
        });
        suspects = changed == 0 && !isRepeated && !isMarkProven ? rows : List.of();
        isMarkProven |= changed > 0;
        if (!isRepeated && changed < rows.size()) {
            warnOfOthers(rows.size() - changed);
        }
        unmarked = List.of();
        this.marked = Set.copyOf(rows);
        return changed;
    }

    private void warnOfOthers(int rows) {
        if (clock.nanos() - warnedAt >= BETWEEN_WARNINGS.toNanos()) {
            warnedAt = clock.nanos();
            LOG.warn(
                    "Intake {}: {} pending when it was read and not any more when it was marked. Does another poller still"
                            + " run? It would process the same rows",
                    intake.name(),
                    Formatted.were(rows, "row"));
        }
    }

    /** Must be called between a change of the source and its commit. */
    private void requireLease() {
        if (!lease.holds(clock.elapsed())) {
            throw new IntakeStore.Lost();
        }
    }

    private Source source() throws SQLException {
        if (source == null) {
            source = Source.of(intake, connection.getConnection());
            warnOnce(source);
        }
        return source;
    }

    /** What makes the intake slow or its order weaker: only once, because it asks the database for plans. */
    private void warnOnce(Source checked) throws SQLException {
        if (!isChecked) {
            isChecked = true;
            checked.warnings(connection.getConnection())
                    .forEach(warning -> LOG.warn("Intake {}: {}", intake.name(), warning));
        }
    }

    static <T> T outbox(ThrowingSupplier<T, SQLException> work) {
        try {
            return work.get();
        } catch (SQLException e) {
            throw new OutboxFailure(e);
        }
    }

    private void failed(Exception thrown) {
        LOG.debug("Intake {} failed", intake.name(), thrown);
        Optional<Halt> halt = Causes.first(Halt.class, thrown);
        Optional<OutboxFailure> outbox = Causes.first(OutboxFailure.class, thrown);
        if (Causes.first(IntakeStore.Lost.class, thrown).isPresent()) {
            LOG.warn("Intake {} was claimed by another relay, or its lease ended; this relay waits", intake.name());
            forget();
        } else if (halt.isPresent()) {
            halt(halt.get().getMessage());
        } else if (outbox.isPresent()) {
            // Whether the last statement was committed is unknown: the claim returns the batch that is stored.
            String reason = Sentence.of(Reason.of(outbox.get().getCause()));
            if (!IntakeFailures.isLostConnection(outbox.get())) {
                storeFailure("the database of the outbox failed: " + reason);
            }
            forget();
            pause = failures.ofOutbox(reason);
        } else {
            sourceFailed(thrown);
        }
    }

    private void sourceFailed(Exception thrown) {
        if (failures.isConflict(thrown)) {
            connection.close(); // it may be within a transaction that has failed
            return; // the next round repeats what was rolled back
        }
        source = null;
        connection.close();
        String reason = Sentence.of(reason(thrown));
        pause = failures.ofSource(reason);
        isFailing = true;
        storeFailure(reason);
    }

    private void storeFailure(String reason) {
        IntakeLease held = lease;
        if (held != null) {
            attempt("store the failure", () -> store.fail(held.epoch(), reason));
        }
    }

    /** Does what a later round, or the end of the lease, makes up for if it fails. */
    private void attempt(String what, ThrowingRunnable<SQLException> step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException e) { // the timer ends at an exception, and serves all intakes
            LOG.debug("Could not {} of intake {}", what, intake.name(), e);
        }
    }

    private static String reason(Exception thrown) {
        return Causes.first(IntakeRefusal.class, thrown)
                .map(Throwable::getMessage)
                .orElseGet(() -> Reason.of(thrown));
    }

    private void halt(String reason) {
        LOG.error("Intake {} waits for a person: {}", intake.name(), reason);
        attempt("store the halt", () -> store.halt(lease.epoch(), reason));
        forget();
    }

    /** Knows nothing any more: the next claim returns what is stored. */
    private void forget() {
        lease = null;
        unmarked = List.of();
        suspects = List.of();
        isBatchStored = false;
        isMarkProven = false;
        source = null;
        outcomes.ifPresent(Outcomes::forget);
        connection.close();
        pause = STANDBY;
    }

    /** Renews the lease during a long step. Called by another thread. */
    void renewDuringStep() {
        IntakeLease held = lease;
        if (held == null || !turns.isLocked()) {
            return;
        }
        long asked = clock.elapsed();
        if (asked - held.renewedAt() < RENEW_INTERVAL.toNanos()
                || asked - held.renewedByTurnAt() > LONGEST_STEP.toNanos()) {
            return;
        }
        attempt("renew the lease", () -> {
            store.renew(held.epoch());
            held.renewedMeanwhile(asked);
        });
    }

    /** Lets no round begin, and the running one end soon. */
    void stop() {
        synchronized (wake) {
            stopping = true;
            wake.notifyAll();
        }
    }

    /** Releases the intake after the last round; waits for it. If it does not end in this time, the lease ends by itself. */
    void release(Duration longest) {
        boolean isInterrupted = false;
        boolean isLocked = false;
        try {
            isLocked = turns.tryLock(longest.toNanos(), TimeUnit.NANOSECONDS);
            if (!isLocked) {
                connection.abort();
                isLocked = turns.tryLock(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        try {
            if (isLocked && lease != null) {
                attempt("release the lease", () -> store.release(lease.epoch(), unmarked.isEmpty()));
            }
        } finally {
            if (isLocked) {
                forget();
                turns.unlock();
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets rounds begin again, after a stop. */
    void start() {
        stopping = false;
        pause = Duration.ZERO;
    }
}
