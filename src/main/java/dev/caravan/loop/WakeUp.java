package dev.caravan.loop;

import dev.caravan.clock.Clock;
import dev.caravan.text.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the subscriptions of this relay sleep while nothing is written, and wakes them when something is. Where it cannot, they
 * poll. A thread of its own listens; a relay takes one nap after the other, numbered from 1.
 *
 * <p>No message is slept through: an insert looks at the announcement after it has its lock on the outbox. So one that did not
 * see it had the lock when it was made. The nap begins when each transaction that had it then is over, and a subscription sleeps
 * only after a read that began later. See docs/decisions/0008-wake-up.md.
 */
public final class WakeUp {
    /** The number of no nap. */
    public static final long AWAKE = 0;

    private static final Logger LOG = LoggerFactory.getLogger(WakeUp.class);
    /** NOTIFY makes commits wait for each other: a relay that is woken more often than this polls. */
    private static final Duration QUIET_TIME = Duration.ofSeconds(1);
    /** How soon the thread notices a stop, and that a message came without ringing. */
    private static final Duration SLICE = Duration.ofMillis(250);
    /** How often the connection has to prove that it is alive. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private static final Duration SHORTEST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final Clock clock;
    private final Set<ReadPace> paces = ConcurrentHashMap.newKeySet();
    private volatile long nap = AWAKE;
    private volatile long flowedAt;
    private volatile boolean stopped;
    private Thread thread;
    private long naps;
    private String trouble = "";

    /** @param dataSource gives the connection to be woken over; null: nobody sleeps */
    public WakeUp(DataSource dataSource, Clock clock) {
        this.dataSource = dataSource;
        this.clock = clock;
        flowedAt = clock.nanos();
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

    /** A subscription is to be woken. */
    public void join(ReadPace pace) {
        paces.add(pace);
    }

    /** A subscription is not to be woken any more. */
    public void leave(ReadPace pace) {
        paces.remove(pace);
    }

    /** The number of the nap that the relay takes; {@link #AWAKE} for none. */
    public long nap() {
        return nap;
    }

    /** A subscription has found messages. */
    public void flowed() {
        flowedAt = clock.nanos();
        if (nap != AWAKE) {
            wakeAll();
        }
    }

    private void wakeAll() {
        nap = AWAKE; // before they are woken: one that reads just now must not go to sleep again
        flowedAt = clock.nanos();
        paces.forEach(ReadPace::wake);
    }

    private void run() {
        Duration backoff = SHORTEST_BACKOFF;
        try {
            while (!stopped) {
                awaitQuiet(); // a relay that only stands by needs no connection
                try (WakeUpConnection bell = new WakeUpConnection(dataSource)) {
                    backoff = SHORTEST_BACKOFF;
                    nap(bell);
                    backoff = LONGEST_BACKOFF;
                } catch (SQLException | RuntimeException e) {
                    begin(Reason.of(e));
                }
                Thread.sleep(backoff.toMillis());
                backoff = backoff.multipliedBy(2).compareTo(LONGEST_BACKOFF) < 0
                        ? backoff.multipliedBy(2)
                        : LONGEST_BACKOFF;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay stops
        }
    }

    /** Returns when inserts do not ring. */
    private void nap(WakeUpConnection bell) throws SQLException, InterruptedException {
        try {
            while (bell.announce()) {
                if (writersAreGone(bell)) {
                    end();
                    sleep(bell);
                }
                bell.withdraw();
                awaitQuiet();
            }
        } catch (InterruptedException e) {
            bell.withdraw();
            throw e;
        }
    }

    /** Waits until some subscription is read and none has found messages for a while. */
    private void awaitQuiet() throws InterruptedException {
        while (!isQuiet() || paces.stream().noneMatch(ReadPace::isReading)) {
            Thread.sleep(SLICE.toMillis());
        }
    }

    private boolean isQuiet() {
        return clock.nanos() - flowedAt >= QUIET_TIME.toNanos();
    }

    private void begin(String text) {
        if (!text.equals(trouble)) {
            trouble = text;
            LOG.warn("Inserts cannot wake this relay: {}. Its subscriptions are polled, and it is tried again", text);
        }
    }

    private void end() {
        if (!trouble.isEmpty()) {
            trouble = "";
            LOG.info("Inserts can wake this relay again");
        }
    }

    /** Waits for those who may have inserted before the announcement; false when messages flow again, or it takes too long. */
    private boolean writersAreGone(WakeUpConnection bell) throws SQLException, InterruptedException {
        Set<String> writers = bell.writers();
        long end = clock.nanos() + HEARTBEAT.toNanos();
        while (!writers.isEmpty() && isQuiet() && clock.nanos() - end < 0) {
            Thread.sleep(SLICE.toMillis());
            writers.retainAll(bell.writers());
        }
        return writers.isEmpty() && isQuiet();
    }

    private void sleep(WakeUpConnection bell) throws SQLException {
        nap = ++naps;
        try {
            long provedAt = clock.nanos();
            while (!stopped && nap != AWAKE && !bell.rings(SLICE)) {
                if (clock.nanos() - provedAt >= HEARTBEAT.toNanos()) {
                    if (!bell.renew()) {
                        return; // nobody would ring any more
                    }
                    provedAt = clock.nanos();
                }
            }
        } finally {
            wakeAll();
        }
    }
}
