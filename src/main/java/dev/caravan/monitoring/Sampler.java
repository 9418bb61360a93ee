package dev.caravan.monitoring;

import dev.caravan.clock.Clock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.partition.Partition;
import dev.caravan.partition.Retention;
import dev.caravan.schema.SchemaCheck;
import dev.caravan.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every few seconds at what the database tells about all subscriptions, for everybody in this relay who wants to know:
 * on one thread and one connection of its own, so that a scrape asks nothing. While the database is away the last sample
 * stays, and grows old.
 */
public final class Sampler implements AutoCloseable {
    /** How often it looks. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
    private static final int LOOKS_PER_SCHEMA_CHECK = 6;
    /** A look that takes longer is one that hangs. */
    private static final Duration LONGEST_LOOK = INTERVAL.multipliedBy(3);

    private record Taken(Sample sample, long nanos) {}

    private final DataSource dataSource;
    private final Retention retention;
    private final Clock clock;
    private final List<Consumer<Sample>> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "sampler");
        thread.setDaemon(true);
        return thread;
    });

    private volatile Taken latest;
    private volatile String trouble = "The database was not asked yet";
    private volatile long lookedAt;
    private int looks;

    /**
     * @param dataSource gives a connection that nobody else waits for
     * @param retention decides what is held back from pruning
     */
    public Sampler(DataSource dataSource, Retention retention, Clock clock) {
        this.dataSource = dataSource;
        this.retention = retention;
        this.clock = clock;
        lookedAt = clock.nanos();
    }

    /** From now on hands each sample to a listener, on the thread of the sampler. */
    public void listen(Consumer<Sample> listener) {
        listeners.add(listener);
    }

    /** Takes the first sample at once. */
    public void start() {
        timer.scheduleWithFixedDelay(this::look, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The last sample, however old; empty before the first. */
    public Optional<Sample> latest() {
        return Optional.ofNullable(latest).map(Taken::sample);
    }

    /** How old the last sample is; empty before the first. */
    public Optional<Duration> age() {
        return Optional.ofNullable(latest).map(taken -> Duration.ofNanos(clock.nanos() - taken.nanos));
    }

    /** What keeps this relay from working with the database, as far as the last look showed; empty when nothing does. */
    public Optional<String> trouble() {
        Duration since = Duration.ofNanos(clock.nanos() - lookedAt);
        if (since.compareTo(LONGEST_LOOK) > 0) {
            return Optional.of("The database has not answered for " + since.toSeconds() + " s");
        }
        return Optional.of(trouble).filter(text -> !text.isEmpty());
    }

    void look() {
        try {
            take();
            if (looks++ % LOOKS_PER_SCHEMA_CHECK == 0 || !trouble.isEmpty()) {
                trouble = problems();
            }
        } catch (SQLException | RuntimeException e) {
            trouble = DatabaseFailure.in(e).map(DatabaseFailure::text).orElse(String.valueOf(e.getMessage()));
            LOG.debug("Could not take a sample of the database, next try soon", e);
        }
        lookedAt = clock.nanos();
    }

    private void take() throws SQLException {
        long begun = clock.nanos();
        Sample sample =
                new Sample(clock.now(), SubscriptionStatus.all(dataSource), Partition.states(dataSource, retention));
        latest = new Taken(sample, begun);
        listeners.forEach(listener -> tell(listener, sample));
    }

    private static void tell(Consumer<Sample> listener, Sample sample) {
        try {
            listener.accept(sample);
        } catch (RuntimeException e) {
            LOG.warn("A sample of the database could not be used: {}", e.toString(), e);
        }
    }

    private String problems() throws SQLException {
        return new SchemaCheck(dataSource)
                .problems().stream().map(DatabaseProblem::text).collect(Collectors.joining("; "));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
