package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Message;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Tail;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.OtherHistoryException;
import dev.caravan.engine.store.ProgressRow;
import dev.caravan.engine.store.ReadStatement;
import dev.caravan.engine.store.SharedSave;
import dev.caravan.engine.store.SubscriptionStore.Saved;
import dev.caravan.engine.store.WriterStore;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What one thread of a relay does for all its lanes: it reads what is new once, and saves the progress of all lanes in one statement. A lane that
 * cannot follow, or has more to save than progress, reads and saves in its own turns; so do all lanes if this loop is not running or
 * fails again and again. One thread runs the turns; the other methods are thread-safe.
 */
public final class TailLoop implements PolledRead {
    private static final Logger LOG = LoggerFactory.getLogger(TailLoop.class);
    /** How long the first lanes after a start wait for the claims of others, so that they begin together. */
    private static final Duration LONGEST_START = Duration.ofSeconds(1);

    private static final Duration RETRY_INTERVAL = Duration.ofMillis(200);
    /** After so many failures in a row, lanes read for themselves: the reason may concern only one of them. */
    private static final int FAILURES = 3;

    private static final Duration ALONE = Duration.ofSeconds(10);
    private static final Duration BUSY_PAUSE = Duration.ofMillis(100);
    /** All lanes are asked what they need at most this often, because a turn may take less than a millisecond. */
    private static final long UPKEEP_INTERVAL_NANOS = 5_000_000L;
    /** Progress is saved together this often in the shortest save interval: otherwise each of many lanes with little traffic would have its statement. */
    private static final int SAVES_PER_INTERVAL = 4;
    /** With fewer messages than this, and fewer bytes, the next read follows after a pause: a read costs as much as some messages. */
    private static final int FEW_MESSAGES = 20;

    private static final long FEW_BYTES = 100_000;

    private final Clock clock;
    private final Horizon horizon;
    private final WakeUp wakeUp;
    private final FreeLanes freeLanes;
    private final LaneConnections connections;
    private final JdbcTemplate jdbc;
    private final WriterStore writers;
    private final Tail tail;
    private final SharedSave sharedSave;
    private final LaneFailures failures = new LaneFailures("the outbox", LaneFailures.FIRST_WAIT);
    private final List<Follower> lanes = new CopyOnWriteArrayList<>();
    private final Surveys surveys;
    private final Reports reports;

    private final ReadPace pace;
    /** A turn that ends so long after it was due is late: the lanes read for themselves. A fifth of a lease: time to renew it. */
    private final Duration late;
    /** The time from which on a running turn, or a missing one, is late, by {@link Clock#nanos()}. */
    private volatile long lateAt;

    private volatile boolean started;
    private volatile boolean waitsForRoom;
    private volatile int failed;
    private volatile long aloneUntil;
    private long waitingSince;
    private boolean isWaiting;

    private List<Follower> selected = List.of();
    private ReadStatement statements;
    private Sql statement;
    private Read next;
    private long startedAt;
    private int rows;
    private long bytes;
    private Throwable failure;
    private long keptUpAt;
    private long savedAt;
    private long caughtUpAt;
    private boolean isQuiet;

    /** @param lease the duration of the leases of this relay */
    public TailLoop(
            DataSource source,
            Histories histories,
            Duration lease,
            Horizon horizon,
            WakeUp wakeUp,
            FreeLanes freeLanes,
            Clock clock) {
        this.freeLanes = freeLanes;
        this.clock = clock;
        this.horizon = horizon;
        this.wakeUp = wakeUp;
        connections = new LaneConnections(source, histories);
        jdbc = new JdbcTemplate(connections);
        writers = new WriterStore(jdbc, clock);
        tail = new Tail(clock);
        sharedSave = new SharedSave(clock);
        Supplier<LaneConnections> anyHistory = () -> new LaneConnections(source, histories);
        surveys = new Surveys(lanes, anyHistory, clock);
        reports = new Reports(lanes, tail::isFollowedBy, anyHistory, clock);
        late = lease.dividedBy(5);
        pace = new ReadPace(lease, BUSY_PAUSE, clock);
        statements = ReadStatement.ofTail(new String[0], 1, false);
        statement = statements.all();
    }

    @Override
    public JdbcTemplate jdbc() {
        return jdbc;
    }

    @Override
    public String onConsume() {
        return sharedSave.text();
    }

    @Override
    public Sql statement() {
        return statement;
    }

    Tail tail() {
        return tail;
    }

    /** Begins to work, before the first turn. */
    public void start() {
        lateAt = clock.nanos() + late.toNanos();
        failed = 0;
        started = true;
        wakeUp.join(pace);
    }

    /** The lanes read for themselves from now on. */
    public void stop() {
        started = false;
        wakeUp.leave(pace);
        tail.reset();
    }

    /** Adds a lane of a route. */
    void join(Follower lane) {
        lanes.add(lane);
        pace.pauseAtMost(lane.settings().saveInterval());
        tail.selectionChanged(); // after it was added: the reads from then on select its messages
    }

    /** Removes a lane. */
    void leave(Follower lane) {
        lanes.remove(lane);
    }

    /** Whether the tail is in the history of the database in which a lane was claimed. */
    boolean hasHistoryOf(LaneConnections lane) {
        return connections.haveSameHistoryAs(lane);
    }

    /** Whether the turns are done in time. */
    boolean isRunning() {
        return started && clock.nanos() - lateAt < 0;
    }

    /** Whether lanes that wait for the tail to begin wait for its next turns only. */
    boolean beginsSoon() {
        return failed < FAILURES || clock.nanos() - aloneUntil >= 0;
    }

    /** Waits until the next turn is due. */
    public void await() throws InterruptedException {
        pace.await();
    }

    /** Starts the next turn at once. */
    public void wake() {
        pace.wake();
    }

    /** A lane has room again. */
    void hasRoom() {
        if (waitsForRoom) {
            pace.wake();
        }
    }

    /**
     * One turn.
     *
     * @param read runs {@link #statement}, passes its result to {@link #received}, and calls {@link #save}
     * @return the number of rows read
     */
    public int turn(Callable<?> read) throws Exception {
        findFreeLanes();
        beginIfDue();
        long sleepNumber = wakeUp.sleepNumber();
        rows = 0;
        bytes = 0;
        isQuiet = false; // unless it is found out
        waitsForRoom = true; // before the lanes are asked
        next = tail.nextRead();
        waitsForRoom = next == null;
        if (next == null) {
            save();
        } else {
            statement = statements().of(next);
            startedAt = clock.nanos();
            read.call();
            throwFailure();
        }
        planNextTurn(sleepNumber);
        if (next != null) {
            failed = 0;
            failures.succeeded(0);
        }
        return rows;
    }

    private void findFreeLanes() {
        try {
            freeLanes.findIfDue();
        } catch (RuntimeException e) {
            LOG.debug("Could not find out which lanes are free; the lanes try it themselves", e);
        }
    }

    private void throwFailure() throws Exception {
        Throwable e = failure;
        failure = null;
        if (e instanceof Error error) {
            throw error;
        } else if (e instanceof Exception exception) {
            throw exception;
        }
    }

    private void planNextTurn(long sleepNumber) {
        if (rows > 0) {
            if (rows < FEW_MESSAGES && bytes < FEW_BYTES) {
                pace.soon();
            } else {
                pace.again();
            }
            wakeUp.messagesFound();
        } else if (next != null && isQuiet) {
            pace.idle(sleepNumber != WakeUp.AWAKE && sleepNumber == wakeUp.sleepNumber());
        } else if (next != null) {
            pace.waiting();
        } else {
            pace.pause(BUSY_PAUSE);
        }
        lateAt = clock.nanos() + Math.max(0, pace.untilNext()) + late.toNanos();
    }

    /** Handles the failure of a turn: the next turn starts after a pause. */
    public void failed(RuntimeException e) {
        Duration wait = RETRY_INTERVAL;
        if (OtherHistoryException.in(e).isPresent()) {
            tail.reset(); // begins again with a lane that is claimed in the new history
            // Otherwise what lanes save together would fail again, and they would not save by themselves.
            connections.forgetHistory();
        } else {
            wait = failures.failed(0, e);
            failed++;
            if (failed >= FAILURES) {
                aloneUntil = clock.nanos() + ALONE.toNanos();
                tail.reset();
            }
        }
        pace.pause(wait);
        lateAt = clock.nanos() + late.toNanos(); // the lanes do not wait longer
    }

    /**
     * Begins with the lanes that wait for it: at the lowest position near the highest one. Lanes that are further behind read for themselves
     * until they are here.
     */
    private void beginIfDue() {
        if (tail.isFollowed() || lanes.stream().noneMatch(Follower::waitsForTail)) {
            isWaiting = false;
            return;
        }
        if (!isWaiting) {
            isWaiting = true;
            waitingSince = clock.nanos();
        }
        if (lanes.stream().allMatch(Follower::isDecided) || clock.nanos() - waitingSince >= LONGEST_START.toNanos()) {
            begin();
        }
    }

    private void begin() {
        List<Follower> waiting =
                lanes.stream().filter(lane -> lane.lock().tryLock()).toList();
        try {
            List<Follower> ready =
                    waiting.stream().filter(Follower::waitsForTail).toList();
            long highest = ready.stream()
                    .mapToLong(lane -> lane.lane().position())
                    .max()
                    .orElse(0);
            ready.stream()
                    .filter(lane -> lane.lane().position() >= highest - Tail.READ_MESSAGES)
                    .min(Comparator.comparingLong(lane -> lane.lane().position()))
                    .ifPresent(lane -> {
                        connections.continueHistoryOf(lane.connections());
                        lane.beginTail();
                    });
            ready.forEach(Follower::joinTail);
        } finally {
            waiting.forEach(lane -> lane.lock().unlock());
        }
    }

    /** The statement for the lanes of now. It is requested after the read has begun in the tail, see {@link Tail#selectionChanged}. */
    private ReadStatement statements() {
        List<Follower> now = List.copyOf(lanes);
        if (!now.equals(selected)) {
            List<LaneSettings> settings = now.stream().map(Follower::settings).toList();
            statements = ReadStatement.ofTail(
                    TypePatterns.like(settings.stream()
                            .map(LaneSettings::types)
                            .distinct()
                            .collect(Collectors.joining(","))),
                    settings.stream()
                            .mapToLong(LaneSettings::maxMessageBytes)
                            .max()
                            .orElse(1),
                    settings.stream().anyMatch(lane -> lane.lanes() > 1));
            selected = now;
        }
        return statements;
    }

    @Override
    public void received(BatchRows found) {
        rows = found.messages().size();
        bytes = found.messages().stream().mapToLong(Message::bytes).sum();
        long nanos = clock.nanos() - startedAt;
        lanes.stream().findFirst().ifPresent(lane -> lane.counters().read(nanos, rows));
        try {
            if (!tail.isContinuedBy(found.sequence().lastId(), found.sequence().file())) {
                tail.reset();
                lanes.forEach(Follower::wake); // each looks for itself
            } else if (tail.received(found.answering(next), found.keyHashes())) {
                lanes.forEach(Follower::followNow);
            }
        } catch (RuntimeException | Error e) {
            tail.reset(); // it may have taken messages that are in no step
            failure = e; // progress is saved before: otherwise the leases would end if each read failed
        }
    }

    @Override
    public boolean save() {
        if (tail.needsWriters() && writers.isDue()) {
            tail.observed(writers.lookUp(tail.waitsForWriters()));
        }
        long now = clock.nanos();
        if (now - keptUpAt >= UPKEEP_INTERVAL_NANOS) {
            keptUpAt = now;
            if (now - savedAt >= pace.longestBusy() / SAVES_PER_INTERVAL) {
                savedAt = now;
                saveTogether();
            }
            lanes.stream().filter(Follower::needsTurn).forEach(Follower::wake);
            if (now - caughtUpAt >= BUSY_PAUSE.toNanos()) {
                caughtUpAt = now;
                lanes.forEach(Follower::catchUp);
            }
            isQuiet = tail.isQuiet() && lanes.stream().allMatch(Follower::isQuiet);
            if (lanes.stream().anyMatch(lane -> lane.lane() != null)) {
                runSharedStatements(false, jdbc);
            }
        }
        return true;
    }

    /**
     * Runs those of the statements for all lanes that are due: finds out how old the oldest transaction is, surveys the side tables after a second,
     * or after 200 ms while messages wait, and writes the changed reports. Any thread may call it; no thread waits for another one.
     *
     * @param messagesWait whether messages wait for a lane of the caller
     * @throws RuntimeException if the survey fails, also if it has failed before and another thread repeats it
     */
    void runSharedStatements(boolean messagesWait, JdbcTemplate jdbc) {
        horizon.update(jdbc);
        surveys.surveyIfDue(messagesWait);
        reports.reportIfDue(horizon.age());
    }

    private void saveTogether() {
        List<Follower> locked = lanes.stream().filter(this::lock).toList();
        try {
            Map<Follower, ProgressRow> due = new LinkedHashMap<>();
            for (Follower lane : locked) {
                if (hasHistoryOf(lane.connections())) { // otherwise its state must not be saved in this history
                    lane.sharedSave().ifPresent(row -> due.put(lane, row));
                }
            }
            if (!due.isEmpty()) {
                write(List.copyOf(due.keySet()), List.copyOf(due.values()));
            }
        } finally {
            locked.forEach(lane -> lane.lock().unlock());
        }
    }

    /** A lane that is in a turn saves by itself. */
    private boolean lock(Follower lane) {
        return lane.lane() != null && lane.saveIsDue() && lane.lock().tryLock();
    }

    private void write(List<Follower> due, List<ProgressRow> rows) {
        long begun = clock.nanos();
        List<Optional<Saved>> saved;
        try {
            saved = sharedSave.write(rows, jdbc);
        } catch (RuntimeException | Error e) {
            for (int i = 0; i < rows.size(); i++) {
                due.get(i).saveTogetherFailed(rows.get(i).save());
            }
            throw e;
        }
        due.get(0).counters().saved(clock.nanos() - begun);
        for (int i = 0; i < rows.size(); i++) {
            due.get(i).savedTogether(rows.get(i).save(), saved.get(i));
        }
    }
}
