package dev.caravan.operate.watch;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Timers;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state of all subscriptions every 5 s, on its own thread and connection, so that a scrape does not query the database.
 * The partitions are read on a second thread and connection: a read of them that takes long or fails delays and hides nothing else. While
 * the database is unavailable the last sample remains, and its age grows.
 */
public final class Sampler implements AutoCloseable {
    /** The time between two samples. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
    private static final int SAMPLES_PER_SCHEMA_CHECK = 6;
    /** A sample that takes longer is reported as a hanging database. */
    private static final Duration MAX_SAMPLE_TIME = INTERVAL.multipliedBy(3);

    private record Taken(Sample sample, long nanos) {}

    private record Partitions(List<Partition> all, long nanos) {}

    private final DataSource dataSource;
    private final Retention retention;
    private final Clock clock;
    private final PartitionReader partitionReader = new PartitionReader();
    private final List<Consumer<Sample>> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Timers.daemons("sampler", 2);

    private volatile Taken latest;
    private volatile Partitions partitions;
    private List<Jobs.Count> bulkRetries = List.of();
    private List<IntakeStatus> intakes = List.of();
    private boolean warnedOfPartitions;
    private volatile String problem = "The database has not been queried yet";
    private volatile long completedAt;
    private volatile Optional<Instant> unavailableSince = Optional.empty();
    private int samples;

    /**
     * @param dataSource provides two connections for the samples, beside those of users of {@link #connections()}
     * @param retention determines the state of the partitions
     */
    public Sampler(DataSource dataSource, Retention retention, Clock clock) {
        this.dataSource = dataSource;
        this.retention = retention;
        this.clock = clock;
        completedAt = clock.nanos();
    }

    /** Adds a listener. It receives each further sample on the thread of the sampler. */
    public void listen(Consumer<Sample> listener) {
        listeners.add(listener);
    }

    /** The connections of the samples, with short limits: two for the samples, and one for what else watches the outbox. */
    public DataSource connections() {
        return dataSource;
    }

    /** Starts sampling; the first sample is taken at once. */
    public void start() {
        timer.scheduleWithFixedDelay(this::samplePartitions, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(this::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The last sample, of any age; empty before the first. */
    public Optional<Sample> latest() {
        return Optional.ofNullable(latest).map(Taken::sample);
    }

    /** The age of the last sample; empty before the first. */
    public Optional<Duration> age() {
        return Optional.ofNullable(latest).map(taken -> Duration.ofNanos(clock.nanos() - taken.nanos));
    }

    /** The time since the partitions were last read; empty before the first time. */
    public Optional<Duration> partitionsAge() {
        return Optional.ofNullable(partitions).map(read -> Duration.ofNanos(clock.nanos() - read.nanos));
    }

    /** Since when the database has been unavailable, as far as the samples show; empty while it is available. */
    public Optional<Instant> unavailableSince() {
        return unavailableSince;
    }

    /** The problem with the database at the last sample, in one sentence; empty when there is none. */
    public Optional<String> problem() {
        Duration since = Duration.ofNanos(clock.nanos() - completedAt);
        if (since.compareTo(MAX_SAMPLE_TIME) > 0) {
            return Optional.of("The database has not answered for " + since.toSeconds() + " s");
        }
        return Optional.of(problem).filter(text -> !text.isEmpty());
    }

    public void sample() {
        try {
            take();
            unavailableSince = Optional.empty();
            if (samples++ % SAMPLES_PER_SCHEMA_CHECK == 0 || !problem.isEmpty()) {
                problem = problems();
            }
        } catch (SQLException | RuntimeException e) {
            problem = DatabaseFailure.in(e).map(this::text).orElse(String.valueOf(e.getMessage()));
            LOG.debug("Could not sample the database, will retry", e);
        }
        completedAt = clock.nanos();
    }

    private String text(DatabaseFailure failure) {
        if (!failure.waitingHelps()) {
            return failure.text();
        }
        Instant since = unavailableSince.orElseGet(() -> clock.now().truncatedTo(ChronoUnit.SECONDS));
        unavailableSince = Optional.of(since);
        return "Database unavailable since " + since + ". " + failure.text();
    }

    private void take() throws SQLException {
        long begun = clock.nanos();
        Sample sample = new Sample(
                clock.now(),
                SubscriptionStatus.all(dataSource),
                Optional.ofNullable(partitions).map(Partitions::all).orElse(List.of()),
                bulkRetries(),
                intakes());
        latest = new Taken(sample, begun);
        listeners.forEach(listener -> notifyListener(listener, sample));
    }

    /** While they cannot be read, the last ones remain. */
    private List<Jobs.Count> bulkRetries() {
        try {
            bulkRetries = Jobs.counts(dataSource);
        } catch (SQLException e) {
            LOG.debug("Could not count the bulk retries, will retry", e);
        }
        return bulkRetries;
    }

    /** While they cannot be read, the last ones remain: the state of the subscriptions is shown all the same. */
    private List<IntakeStatus> intakes() {
        try {
            intakes = new Intakes(dataSource).list();
        } catch (SQLException e) {
            LOG.debug("Could not read the intakes, will retry", e);
        }
        return intakes;
    }

    /** While they cannot be read, the last ones remain, and their age grows. */
    public void samplePartitions() {
        long begun = clock.nanos();
        try {
            partitions = new Partitions(partitionReader.states(dataSource, retention), begun);
            warnedOfPartitions = false;
        } catch (SQLException | RuntimeException e) {
            warnOfPartitions(e);
        }
    }

    /** Only if the database answers: that it is unavailable is reported elsewhere. */
    private void warnOfPartitions(Exception e) {
        boolean unavailable =
                DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps).isPresent();
        if (unavailable || warnedOfPartitions) {
            LOG.debug("Could not read the partitions of the outbox, will retry", e);
        } else {
            warnedOfPartitions = true;
            LOG.warn(
                    "Could not read the partitions of the outbox: {}. The metrics of the partitions keep their last values; those of the"
                            + " subscriptions and deliveries are not affected. Next attempt in {} s",
                    e.getMessage(),
                    INTERVAL.toSeconds());
        }
    }

    private static void notifyListener(Consumer<Sample> listener, Sample sample) {
        try {
            listener.accept(sample);
        } catch (RuntimeException e) {
            LOG.warn("Could not process a sample of the database: {}", e.toString(), e);
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
