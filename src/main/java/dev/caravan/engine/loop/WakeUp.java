package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.text.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the subscriptions of this relay sleep while nothing is inserted, and wakes them after an insert. If inserts do not notify, one
 * of the relays that share lanes watches: it polls, and wakes the others when it finds a message. If neither is possible, all
 * poll. A separate thread waits for notifications. Each sleep of the relay has a number, from 1.
 *
 * <p>No message is missed: an insert reads the announcement after it has obtained its lock on the outbox, so an insert that did
 * not see the announcement held the lock when the announcement was made. The sleep begins when all transactions that held the
 * lock then have ended, and a subscription sleeps only after a read that began later. See docs/decisions/0008-wake-up.md.
 *
 * <p>The relay that watches holds a lock, and notifies of whatever it finds until it has released it. Another one listens, finds the lock
 * held, and sleeps only after a read that began later: what was visible to that read needs no notification, and what becomes visible
 * later is found by the relay that watches. See docs/decisions/0021-one-relay-watches.md.
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

    /** How often a relay that watches, and one that sleeps meanwhile, tests its connection, and whether nobody watches any more. */
    private static final Duration WATCH_INTERVAL = Duration.ofMillis(2_500);
    /** How long this relay polls after it has found a message of which the one that watches has said nothing, perhaps because it hangs. */
    private static final Duration DISTRUST = Duration.ofMinutes(1);

    private static final Duration SHORTEST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final Clock clock;
    private final Set<ReadPace> paces = ConcurrentHashMap.newKeySet();
    private volatile long sleepNumber = AWAKE;
    private volatile long lastMessageAt;
    private volatile boolean stopped;
    private volatile Supplier<Optional<String>> group = Optional::empty;
    /** Whether this relay has found new messages since it last tried to watch. */
    private volatile boolean found;

    private Thread thread;
    private long sleeps;
    private long triedAt;
    private long trustedAt;
    private long triggerSoughtAt;
    private boolean insertsNotify;
    private String problem = "";

    /** @param dataSource provides the connection for notifications; null if the relay never sleeps */
    public WakeUp(DataSource dataSource, Clock clock) {
        this.dataSource = dataSource;
        this.clock = clock;
        lastMessageAt = clock.nanos();
        trustedAt = lastMessageAt;
    }

    /** @param group what the relays have in common that read the same messages as this one; empty if there are none. Any thread calls it */
    void watchFor(Supplier<Optional<String>> group) {
        this.group = group;
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

    /** Reports that the read for all lanes has found messages. That ends the sleep of other relays too if this one watches. */
    void newMessagesFound() {
        if (!found) {
            synchronized (this) {
                found = true;
                notifyAll();
            }
        }
        messagesFound();
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
                    do {
                        sleepWhenQuiet(connection);
                    } while (sleepWhenWatched(connection) && !stopped);
                    backoff = LONGEST_BACKOFF;
                } catch (SQLException | RuntimeException e) {
                    failed(Reason.of(e));
                }
                awaitGroup(backoff);
                backoff = Pauses.doubled(backoff, LONGEST_BACKOFF);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay stops
        }
    }

    /** Sleeps whenever no messages come; returns when inserts cannot send notifications. */
    private void sleepWhenQuiet(WakeUpConnection connection) throws SQLException, InterruptedException {
        try {
            while (connection.announce()) {
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
        while (!isQuiet() || !isReading()) {
            Thread.sleep(SLICE.toMillis());
        }
    }

    private boolean isReading() {
        return paces.stream().anyMatch(ReadPace::isReading);
    }

    /** Waits until there are other relays that may watch, up to a limit. */
    private void awaitGroup(Duration limit) throws InterruptedException {
        boolean isNew = group.get().isEmpty();
        long end = clock.nanos() + limit.toNanos();
        while (clock.nanos() - end < 0 && !(isNew && group.get().isPresent())) {
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

    /**
     * Sleeps whenever no messages come and another relay watches, and watches if none does.
     *
     * @return whether it can be tried again at once; otherwise this relay polls
     */
    private boolean sleepWhenWatched(WakeUpConnection connection) throws SQLException, InterruptedException {
        Optional<String> ours = group.get();
        if (ours.isEmpty()) {
            return false;
        }
        if (!connection.listenToRelays()) {
            group = Optional::empty;
            return false;
        }
        recovered();
        insertsNotify = false;
        triggerSoughtAt = clock.nanos();
        while (mayGoOn(connection, ours.get())) {
            found = false; // before the lock is tried: as long as it is held, others may rely on this relay
            connection.discardNotifications(); // this relay is awake
            triedAt = clock.nanos();
            if (connection.watch(ours.get())) {
                watch(connection, ours.get());
            } else if (clock.nanos() - trustedAt >= 0) {
                sleepWhileWatched(connection, ours.get());
            } else {
                Thread.sleep(WATCH_INTERVAL.toMillis());
            }
            awaitQuiet();
        }
        return true;
    }

    /** Not after other routes have started, or when inserts can notify. */
    private boolean mayGoOn(WakeUpConnection connection, String ours) throws SQLException {
        if (clock.nanos() - triggerSoughtAt >= LONGEST_BACKOFF.toNanos()) {
            triggerSoughtAt = clock.nanos();
            insertsNotify = connection.renew();
        }
        return !stopped && !insertsNotify && group.get().filter(ours::equals).isPresent();
    }

    /** Polls for the others until there are messages. */
    private void watch(WakeUpConnection connection, String ours) throws SQLException, InterruptedException {
        try {
            while (mayGoOn(connection, ours) && isReading() && !awaitFound()) {
                if (isTryDue()) {
                    connection.watch(ours); // fails if the connection is lost
                }
            }
        } finally {
            connection.endWatch();
        }
    }

    private synchronized boolean awaitFound() throws InterruptedException {
        if (!found) {
            wait(SLICE.toMillis());
        }
        return found;
    }

    private boolean isTryDue() {
        boolean isDue = clock.nanos() - triedAt >= WATCH_INTERVAL.toNanos();
        if (isDue) {
            triedAt = clock.nanos();
        }
        return isDue;
    }

    /** Sleeps until the relay that watches notifies, none watches any more, or this relay finds messages by itself. */
    private void sleepWhileWatched(WakeUpConnection connection, String ours) throws SQLException {
        sleepNumber = ++sleeps;
        boolean notified = false;
        boolean abandoned = false;
        try {
            while (mayGoOn(connection, ours) && sleepNumber != AWAKE && !notified && !abandoned) {
                notified = connection.awaitNotification(SLICE);
                abandoned = isTryDue() && connection.watch(ours);
            }
        } finally {
            wakeAll();
        }
        boolean missed = !notified && found && !connection.awaitNotification(QUIET_TIME);
        if (missed) {
            trustedAt = clock.nanos() + DISTRUST.toNanos();
        }
        if (missed || abandoned) { // the others sleep too; those that are awake choose who watches
            connection.endWatch();
        }
    }
}
