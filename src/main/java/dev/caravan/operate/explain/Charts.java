package dev.caravan.operate.explain;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.ProgramVersion;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.operate.explain.History.Moment;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The subscriptions over a range of time, with marks: from the samples of this relay as far as they reach, and before that from what all relays have
 * stored. So a relay that has just started shows what was before it. Thread-safe.
 */
public final class Charts {
    private static final List<Duration> STEPS = IntStream.of(5, 10, 30, 60, 120, 300, 600, 900, 1800)
            .mapToObj(Duration::ofSeconds)
            .toList();
    /** Of a history; 30 minutes apart, this is seven days and a half. */
    private static final int MOST_SAMPLES = 360;
    /** Of a history. A page shows fewer: it draws those that are near each other as one. */
    private static final int MOST_MARKS = 200;

    private final StoredHistory stored;
    private final RecentSamples samples;
    private final PeopleMarks people;
    private final boolean always;
    private final Optional<String> relay;
    private final String version = ProgramVersion.text();

    /**
     * @param samples those of the outbox
     * @param always whether they are taken all the time, and not on request only
     * @param relay the relay that takes them; empty if another process does
     */
    public Charts(DataSource dataSource, RecentSamples samples, boolean always, Optional<String> relay) {
        this.stored = new StoredHistory(dataSource);
        this.samples = samples;
        this.people = new PeopleMarks(dataSource, Clock.SYSTEM);
        this.always = always;
        this.relay = relay;
    }

    /**
     * The history of all subscriptions, or of one. While the database is unavailable it has what this relay knows.
     *
     * @param to at most {@link StoredHistory#MINUTES} after {@code from}
     * @throws SQLException also if this relay has no sample of the range, and the stored ones cannot be read
     */
    public History history(Instant from, Instant to, Optional<String> subscription) throws SQLException {
        Duration step = step(Duration.between(from, to));
        Duration storedStep = step.compareTo(StoredHistory.PERIOD) > 0 ? step : StoredHistory.PERIOD;
        List<Moment<?>> moments = new ArrayList<>();
        if (always) {
            moments.addAll(samples.moments(from, to, step, subscription));
        }
        boolean sampled = !moments.isEmpty();
        Instant known = sampled ? moments.get(0).at() : to;
        Duration missing = Duration.between(from, known);
        List<Mark> changes;
        try {
            changes = people.all();
            if (!sampled || missing.compareTo(moments.get(0).longest()) > 0) {
                moments.addAll(0, stored.moments(from, known, storedStep, subscription));
            }
        } catch (SQLException e) {
            if (!sampled || DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
            changes = people.known();
        }
        return History.of(from, to, sampled ? step : storedStep, moments, marks(from, to, subscription, changes));
    }

    private static Duration step(Duration range) {
        return STEPS.stream()
                .filter(step -> range.dividedBy(step) <= MOST_SAMPLES)
                .findFirst()
                .orElse(STEPS.get(STEPS.size() - 1));
    }

    private List<Mark> marks(Instant from, Instant to, Optional<String> subscription, List<Mark> changes) {
        List<Mark> found = Stream.of(changes.stream(), samples.marks().stream(), start().stream())
                .flatMap(marks -> marks)
                .filter(mark -> !mark.at().isBefore(from) && !mark.at().isAfter(to))
                .filter(mark -> subscription.map(mark::concerns).orElse(true))
                .sorted(Comparator.comparing(Mark::at))
                .toList();
        return found.subList(Math.max(0, found.size() - MOST_MARKS), found.size());
    }

    /** The start of this relay: no relay knows that of others. */
    private Optional<Mark> start() {
        return relay.flatMap(name -> samples.begun().map(at -> Mark.ofStart(at, name, version)));
    }
}
