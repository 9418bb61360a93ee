package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.text.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the subscriptions of this relay sleep while nothing is inserted, and wakes them after an insert. If that is not possible,
 * they poll. A separate thread waits for notifications. Each sleep of the relay has a number, from 1.
 *
 * <p>No message is missed: an insert reads the announcement after it has obtained its lock on the outbox, so an insert that did
 * not see the announcement held the lock when the announcement was made. The sleep begins when all transactions that held the
 * lock then have ended, and a subscription sleeps only after a read that began later. See docs/decisions/0008-wake-up.md.
 */
public final class WakeUp {
    /** The number while the relay does not sleep. */
    public static final long AWAKE = 0;

    private static final Logger LOG = LoggerFactory.getLogger(WakeUp.class);
    /** A relay that is woken more often than this polls, because NOTIFY serializes commits. */
    private static final Duration QUIET_TIME = Duration.ofSeconds(1);
    /** How soon the thread notices a stop, and a message found without a notification. */
    private static final Duration SLICE = Duration.ofMillis(250);
    /** How often the connection is tested. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private static final Duration SHORTEST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final Clock clock;
    private final Set<ReadPace> paces = ConcurrentHashMap.newKeySet();
    private volatile long sleepNumber = AWAKE;
    private volatile long lastMessageAt;
    private volatile boolean stopped;
    private Thread thread;
    private long sleeps;
    private String problem = "";

    /** @param dataSource provides the connection for notifications; null if the relay never sleeps */
    public WakeUp(DataSource dataSource, Clock clock) {
        this.dataSource = dataSource;
        this.clock = clock;
        lastMessageAt = clock.nanos();
    }

    public void start() {
        if (dataSource != null) {
            stopped = false;
            thread = new Thread(this::run, "outbox-wake-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    public void stop() throws InterruptedException {
        if (thread != null) {
            stopped = true;
            thread.interrupt();
            thread.join(STOP_LIMIT.toMillis());
            thread = null;
        }
    }

    /** Adds a reader to wake. */
    public void join(ReadPace pace) {
        paces.add(pace);
    }

    /** Removes a reader. */
    public void leave(ReadPace pace) {
        paces.remove(pace);
    }

    /** The number of the current sleep; {@link #AWAKE} if the relay does not sleep. */
    public long sleepNumber() {
        return sleepNumber;
    }

    /** Reports that a lane has found messages, which ends a sleep. */
    public void messagesFound() {
        lastMessageAt = clock.nanos();
        if (sleepNumber != AWAKE) {
            wakeAll();
        }
    }

    private void wakeAll() {
        sleepNumber = AWAKE; // before they are woken: a lane that is reading now must not sleep again
        lastMessageAt = clock.nanos();
        paces.forEach(ReadPace::wake);
    }

    private void run() {
        Duration backoff = SHORTEST_BACKOFF;
        try {
            while (!stopped) {
                awaitQuiet(); // a relay that stands by needs no connection
                try (WakeUpConnection connection = new WakeUpConnection(dataSource)) {
                    backoff = SHORTEST_BACKOFF;
                    sleepWhenQuiet(connection);
                    backoff = LONGEST_BACKOFF;
                } catch (SQLException | RuntimeException e) {
                    failed(Reason.of(e));
                }
                Thread.sleep(backoff.toMillis());
                backoff = Pauses.doubled(backoff, LONGEST_BACKOFF);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay stops
        }
    }

    /** Sleeps whenever no messages come; returns when inserts cannot send notifications. */
    private void sleepWhenQuiet(WakeUpConnection connection) throws SQLException, InterruptedException {
        try {
            while (!stopped && connection.announce()) {
                if (writersHaveEnded(connection)) {
                    recovered();
                    sleep(connection);
                }
                connection.withdraw();
                awaitQuiet();
            }
        } catch (InterruptedException e) {
            connection.withdraw();
            throw e;
        }
    }

    /** Waits until a lane reads and none has found messages for the quiet time. */
    private void awaitQuiet() throws InterruptedException {
        while (!isQuiet() || paces.stream().noneMatch(ReadPace::isReading)) {
            Thread.sleep(SLICE.toMillis());
        }
    }

    private boolean isQuiet() {
        return clock.nanos() - lastMessageAt >= QUIET_TIME.toNanos();
    }

    private void failed(String text) {
        if (!text.equals(problem)) {
            problem = text;
            LOG.warn("Inserts cannot wake this relay: {}. Its subscriptions are polled, and this is retried", text);
        }
    }

    private void recovered() {
        if (!problem.isEmpty()) {
            problem = "";
            LOG.info("Inserts can wake this relay again");
        }
    }

    /**
     * Waits for transactions that may have inserted before the announcement; returns false if a lane finds messages, or the wait
     * takes too long.
     */
    private boolean writersHaveEnded(WakeUpConnection connection) throws SQLException, InterruptedException {
        Set<String> writers = connection.writers();
        long end = clock.nanos() + HEARTBEAT.toNanos();
        while (!writers.isEmpty() && isQuiet() && clock.nanos() - end < 0) {
            Thread.sleep(SLICE.toMillis());
            writers.retainAll(connection.writers());
        }
        return writers.isEmpty() && isQuiet();
    }

    private void sleep(WakeUpConnection connection) throws SQLException {
        sleepNumber = ++sleeps;
        try {
            long testedAt = clock.nanos();
            while (!stopped && sleepNumber != AWAKE && !connection.awaitNotification(SLICE)) {
                if (clock.nanos() - testedAt >= HEARTBEAT.toNanos()) {
                    if (!connection.renew()) {
                        return; // inserts send no more notifications
                    }
                    testedAt = clock.nanos();
                }
            }
        } finally {
            wakeAll();
        }
    }
}
