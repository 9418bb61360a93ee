package dev.caravan.operate.watch;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.SchemaVersion;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * The state of all outboxes of the database. It is read on request, at most every 5 s, one outbox after the other on a
 * separate connection. Thread-safe.
 */
public final class OutboxSurvey {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(1);

    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);
    private static final int CONNECTION_TEST_SECONDS = 1;

    /** A completed survey. A failed one contains the states of the previous one. */
    private record Survey(List<OutboxStatus> all, Optional<SQLException> failure, long endedAt) {
        List<OutboxStatus> answer() throws SQLException {
            if (failure.isPresent()) {
                throw failure.get();
            }
            return all;
        }
    }

    private final DataSource sessions;
    private final Supplier<Optional<Sample>> ownSample;
    private final RecentSamples ownSamples;
    private final Clock clock;
    private final Duration limit;
    private final PartitionReader partitionReader = new PartitionReader();
    private final Map<String, RecentSamples> samples = new ConcurrentHashMap<>();
    private final ReentrantLock surveying = new ReentrantLock();
    private volatile Optional<Survey> latest = Optional.empty();

    /**
     * @param sessions provides new connections with the own schema, which are not pooled: their schema is changed
     * @param ownSample the last sample of the own outbox; while it is empty, the own outbox is read like the others
     * @param ownSamples the samples of the own outbox
     */
    public OutboxSurvey(
            DataSource sessions, Supplier<Optional<Sample>> ownSample, RecentSamples ownSamples, Clock clock) {
        this(sessions, ownSample, ownSamples, clock, LIMIT);
    }

    /** @param limit outboxes that are not read within this time keep their previous state; the next survey begins with them */
    private OutboxSurvey(
            DataSource sessions,
            Supplier<Optional<Sample>> ownSample,
            RecentSamples ownSamples,
            Clock clock,
            Duration limit) {
        this.limit = limit;
        this.sessions = sessions;
        this.ownSample = ownSample;
        this.ownSamples = ownSamples;
        this.clock = clock;
    }

    /** Runs one survey, for a command. */
    public static List<OutboxStatus> once(DataSource sessions) throws SQLException {
        return new OutboxSurvey(sessions, Optional::empty, new RecentSamples(), Clock.SYSTEM, COMMAND_LIMIT).latest();
    }

    /** All outboxes, the own one first. Runs a survey if one is due and no other thread runs it; waits for that of another thread only
     * if there was none before. */
    public List<OutboxStatus> latest() throws SQLException {
        Optional<Survey> last = latest;
        if (last.isEmpty()) {
            surveying.lock();
        } else if (!isDue(last.get()) || !surveying.tryLock()) {
            return last.get().answer();
        }
        try {
            if (latest.isEmpty() || isDue(latest.get())) {
                latest = Optional.of(survey());
            }
            return latest.get().answer();
        } finally {
            surveying.unlock();
        }
    }

    private boolean isDue(Survey survey) {
        return clock.nanos() - survey.endedAt() >= Sampler.INTERVAL.toNanos();
    }

    private List<OutboxStatus> known() {
        return latest.map(Survey::all).orElse(List.of());
    }

    /** The last sample of an outbox; empty before the first. */
    public Optional<Sample> latest(String schema) {
        return known().stream()
                .filter(status -> status.outbox().schema().equals(schema))
                .flatMap(status -> status.seen().stream())
                .map(OutboxStatus.Seen::sample)
                .findFirst();
    }

    /** The samples of an outbox that the surveys have taken. */
    public RecentSamples samples(String schema) {
        return samples.computeIfAbsent(schema, name -> new RecentSamples());
    }

    /** Runs a survey. A failed one is not repeated before the next one is due. */
    private Survey survey() {
        try (Connection connection = sessions.getConnection()) {
            return new Survey(all(connection), Optional.empty(), clock.nanos());
        } catch (SQLException e) {
            return new Survey(known(), Optional.of(e), clock.nanos());
        }
    }

    private List<OutboxStatus> all(Connection connection) throws SQLException {
        long end = clock.nanos() + limit.toNanos();
        Map<String, OutboxStatus> before = byName(known());
        DataSource session = new SingleConnectionDataSource(connection, true);
        List<DatabaseOutbox> found = DatabaseOutbox.all(session);
        Map<String, OutboxStatus> read = new HashMap<>();
        for (DatabaseOutbox outbox : longestUnreadFirst(found, before)) {
            read.put(
                    outbox.schema(),
                    clock.nanos() - end < 0
                            ? status(connection, session, outbox)
                            : before.getOrDefault(
                                    outbox.schema(),
                                    OutboxStatus.unread(outbox, OptionalInt.empty(), "It has not been read yet.")));
        }
        return found.stream().map(outbox -> read.get(outbox.schema())).toList();
    }

    private static Map<String, OutboxStatus> byName(List<OutboxStatus> all) {
        return all.stream().collect(Collectors.toMap(status -> status.outbox().schema(), Function.identity()));
    }

    private static List<DatabaseOutbox> longestUnreadFirst(
            List<DatabaseOutbox> found, Map<String, OutboxStatus> before) {
        List<DatabaseOutbox> order = new ArrayList<>(found);
        order.sort(Comparator.comparing(outbox -> Optional.ofNullable(before.get(outbox.schema()))
                .flatMap(OutboxStatus::seen)
                .map(seen -> seen.sample().at())
                .orElse(Instant.MIN)));
        return order;
    }

    private OutboxStatus status(Connection connection, DataSource session, DatabaseOutbox outbox) throws SQLException {
        if (outbox.access() != DatabaseOutbox.Access.READABLE) {
            return OutboxStatus.unread(outbox, OptionalInt.empty(), outbox.remedy());
        }
        try {
            use(connection, outbox);
            SchemaVersion version = SchemaVersion.of(connection);
            return version.differences().isEmpty()
                    ? OutboxStatus.read(outbox, version.number(), seen(session, outbox))
                    : OutboxStatus.unread(outbox, version.number(), anotherVersion(version));
        } catch (SQLException e) {
            if (!connection.isValid(CONNECTION_TEST_SECONDS)) {
                throw e;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return OutboxStatus.unread(
                    outbox,
                    OptionalInt.empty(),
                    DatabaseFailure.in(e).map(DatabaseFailure::text).orElse(String.valueOf(e.getMessage())));
        }
    }

    /** Sets the schema in autocommit mode, because a rollback would restore the previous schema. */
    private static void use(Connection connection, DatabaseOutbox outbox) throws SQLException {
        connection.setAutoCommit(true);
        Sql.execute(connection, new OutboxSchema(outbox.schema()).use());
    }

    private static String anotherVersion(SchemaVersion version) {
        int more = version.differences().size() - 1;
        return "Its tables are of another version of Caravan: "
                + version.differences().get(0)
                + (more == 0 ? "" : ", and " + more + " more")
                + ". Upgrade them, or look at it with that version.";
    }

    private OutboxStatus.Seen seen(DataSource session, DatabaseOutbox outbox) throws SQLException {
        Optional<Sample> own = outbox.own() ? ownSample.get() : Optional.empty();
        Sample sample = own.isPresent() ? own.get() : sample(session, outbox);
        return new OutboxStatus.Seen(
                sample,
                Diagnosis.of(
                        session,
                        outbox.own() ? ownSamples : samples(outbox.schema()),
                        sample.subscriptions(),
                        sample.intakes(),
                        sample.partitions(),
                        Set.of()),
                relays(session));
    }

    /** The retention is a setting of the relays of that outbox and not known here, so no partition counts as older than the retention. */
    private Sample sample(DataSource session, DatabaseOutbox outbox) throws SQLException {
        Sample sample = new Sample(
                clock.now(),
                SubscriptionStatus.all(session),
                partitions(session),
                Jobs.counts(session),
                new Intakes(session).list());
        samples(outbox.schema()).continueWith(sample, MAX_PAUSE);
        return sample;
    }

    /** None if they cannot be read, so that the state of the subscriptions is shown all the same. A lost connection ends the next read. */
    private List<Partition> partitions(DataSource session) {
        try {
            return partitionReader.states(session, Retention.UNLIMITED);
        } catch (SQLException e) {
            return List.of();
        }
    }

    private static List<String> relays(DataSource session) throws SQLException {
        try (Connection connection = session.getConnection()) {
            return Sql.file("operate/running_relays").query(connection, row -> row.getString("relay"));
        }
    }
}
