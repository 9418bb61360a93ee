package dev.caravan.operate.explain;

import dev.caravan.base.text.Span;
import dev.caravan.database.BoundedCount;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.explain.Problem.Name;
import dev.caravan.operate.explain.Problem.Severity;
import dev.caravan.operate.failed.BlockedKey;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.partition.Holder;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.RateStatus;
import dev.caravan.operate.subscription.SubscriptionState;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Finds the problems of a relay, most severe first, and summarizes them in one sentence. The limits are those of the alerts in
 * docs/monitoring, except that missing progress and an unavailable destination are shown without the delay of an alert.
 */
public final class Diagnosis {
    private static final Duration LAG = Duration.ofMinutes(5);
    private static final Duration LAG_WITH_RATE = Duration.ofDays(1);
    private static final Duration LAG_CRITICAL = Duration.ofHours(1);
    private static final Duration NO_PROGRESS_FOR = Duration.ofMinutes(2);
    private static final Duration DEAD_LETTERS_WITHIN = Duration.ofMinutes(15);
    private static final Duration BLOCKED = Duration.ofHours(1);
    private static final Duration GAP = Duration.ofMinutes(10);
    private static final Duration LEASES_WITHIN = Duration.ofMinutes(15);
    private static final int LEASES = 3;
    /** Longer than a restart, and than the time in which another instance takes over. */
    private static final Duration NO_HOUSEKEEPING = Duration.ofMinutes(5);

    private static final int MAX_COUNTED = 1_000;

    /** A word for all problems, and one sentence about them. */
    public record Verdict(String state, String text) {}

    private final DataSource database;
    private final RecentSamples samples;
    private final Instant now;
    private final List<Problem> found = new ArrayList<>();

    private Diagnosis(DataSource database, RecentSamples samples, Instant now) {
        this.database = database;
        this.samples = samples;
        this.now = now;
    }

    /**
     * The problems now, most severe first.
     *
     * @param filesNotLoaded the route files that this relay could not load
     */
    public static List<Problem> of(
            DataSource database,
            RecentSamples samples,
            List<SubscriptionStatus> all,
            List<IntakeStatus> intakes,
            List<Partition> partitions,
            Set<String> filesNotLoaded)
            throws SQLException {
        Diagnosis diagnosis = new Diagnosis(database, samples, DatabaseClock.now(database));
        all.forEach(diagnosis::checkSubscription);
        intakes.forEach(diagnosis::checkIntake);
        diagnosis.checkDeadLetters(all, intakes);
        diagnosis.checkBlockedKeys(all);
        diagnosis.checkGaps(all);
        diagnosis.checkPartitions(partitions);
        diagnosis.checkHousekeeping(all);
        Problem.ofRouteFiles(filesNotLoaded).ifPresent(diagnosis.found::add);
        return diagnosis.found.stream()
                .sorted(Comparator.comparing(Problem::severity).thenComparing(Problem::name))
                .toList();
    }

    /** {@code healthy}, {@code degraded: booking-sms waits for its destination, next probe in 12 s, and 2 more}. */
    public static Verdict verdict(List<Problem> problems, List<SubscriptionStatus> all) {
        String state = state(problems, all);
        return new Verdict(
                state,
                problems.isEmpty()
                        ? state
                        : state + ": " + problems.get(0).text()
                                + (problems.size() == 1 ? "" : ", and " + (problems.size() - 1) + " more"));
    }

    /** As severe as the most severe problem. */
    private static String state(List<Problem> problems, List<SubscriptionStatus> all) {
        if (problems.isEmpty()) {
            return "healthy";
        }
        if (isDown(problems, all)) {
            return "down";
        }
        boolean critical = problems.stream().anyMatch(problem -> problem.severity() == Severity.CRITICAL);
        return critical ? "critical" : "degraded";
    }

    /** Whether no subscription delivers, although at least one is not paused. */
    private static boolean isDown(List<Problem> problems, List<SubscriptionStatus> all) {
        Set<String> stopped = problems.stream()
                .filter(problem -> problem.name() == Name.SUBSCRIPTION_UNOWNED || problem.name() == Name.NO_PROGRESS)
                .flatMap(problem -> problem.subscription().stream())
                .collect(Collectors.toSet());
        return all.stream().anyMatch(status -> !status.paused())
                && all.stream().filter(status -> !status.paused()).allMatch(status -> stopped.contains(status.name()));
    }

    private void checkSubscription(SubscriptionStatus status) {
        String name = status.name();
        var outage = status.destination().outage();
        if (status.halt().isPresent()) {
            add(
                    Name.NO_PROGRESS,
                    Severity.CRITICAL,
                    name,
                    name + " is halted: " + status.halt().get().reason(),
                    Optional.of(status.halt().get().since()));
            return;
        }
        if (status.paused() || status.changing()) {
            return; // stopped by a person
        }
        if (status.state() == SubscriptionState.NO_RELAY) {
            add(
                    Name.SUBSCRIPTION_UNOWNED,
                    Severity.CRITICAL,
                    name,
                    "no relay has a lease of " + name
                            + "; if no route reads it any more: ./caravan subscriptions delete " + name,
                    Optional.empty());
        } else if (outage.isPresent()) {
            add(
                    Name.DESTINATION_DOWN,
                    Severity.CRITICAL,
                    name,
                    name + " waits for its destination, next probe "
                            + Span.in(outage.get().untilProbe()),
                    Optional.of(outage.get().since()));
        } else if (status.backlog() > 0
                && status.lag().compareTo(NO_PROGRESS_FOR) > 0
                && !waitsForRate(status)
                && samples.hasNoProgress(name, NO_PROGRESS_FOR)) {
            add(Name.NO_PROGRESS, Severity.CRITICAL, name, name + " makes no progress", Optional.empty());
        }
        if (status.lag().compareTo(waitsForRate(status) ? LAG_WITH_RATE : LAG) > 0) {
            add(
                    Name.LAG_HIGH,
                    status.lag().compareTo(LAG_CRITICAL) > 0 && !waitsForRate(status)
                            ? Severity.CRITICAL
                            : Severity.WARNING,
                    name,
                    name + " is " + Span.text(status.lag()) + " behind",
                    Optional.of(now.minus(status.lag())));
        }
        long claims = samples.claims(name, LEASES_WITHIN);
        if (claims >= LEASES) {
            add(
                    Name.LEASE_LOST_OFTEN,
                    Severity.WARNING,
                    name,
                    "leases of " + name + " changed " + claims + " times within " + Span.text(LEASES_WITHIN),
                    Optional.empty());
        }
    }

    private static boolean waitsForRate(SubscriptionStatus status) {
        return status.rate().filter(RateStatus::waiting).isPresent();
    }

    /** The state of an intake is shown even if it began just now, as that of a destination. */
    private void checkIntake(IntakeStatus intake) {
        switch (intake.state()) {
            case PAUSED -> {
                return; // stopped by a person
            }
            case HALTED -> {
                add(
                        Name.INTAKE_HALTED,
                        Severity.CRITICAL,
                        intake.subscription(),
                        "intake " + intake.name() + " is halted"
                                + intake.error().map(reason -> ": " + reason).orElse(""),
                        intake.failingSince());
                return;
            }
            case FAILING ->
                add(
                        Name.INTAKE_FAILING,
                        Severity.CRITICAL,
                        intake.subscription(),
                        "intake " + intake.name() + " fails and is tried again",
                        intake.failingSince());
            case NO_RELAY ->
                add(
                        Name.INTAKE_UNOWNED,
                        Severity.CRITICAL,
                        intake.subscription(),
                        "no relay works intake " + intake.name()
                                + "; if its file was removed for good: ./caravan intake remove " + intake.name(),
                        Optional.empty());
            case RUNNING -> {}
        }
        if (intake.lag().compareTo(LAG) > 0) {
            add(
                    Name.INTAKE_LAGGING,
                    intake.lag().compareTo(LAG_CRITICAL) > 0 ? Severity.CRITICAL : Severity.WARNING,
                    intake.subscription(),
                    "intake " + intake.name() + " is " + Span.text(intake.lag()) + " behind",
                    Optional.of(now.minus(intake.lag())));
        }
    }

    private void checkDeadLetters(List<SubscriptionStatus> all, List<IntakeStatus> intakes) throws SQLException {
        String[] names = Stream.concat(
                        all.stream()
                                .filter(status -> status.deadLetters().atLeast() > 0)
                                .map(SubscriptionStatus::name),
                        intakes.stream()
                                .filter(intake -> intake.deadLetters().atLeast() > 0)
                                .map(IntakeStatus::subscription))
                .toArray(String[]::new);
        Instant since = now.minus(DEAD_LETTERS_WITHIN);
        Transaction.run(database, connection -> Sql.file("operate/recent_dead_letters")
                        .with("subscriptions", names)
                        .with("since", since)
                        .with("limit", MAX_COUNTED + 1)
                        .query(
                                connection,
                                row -> new Problem(
                                        Name.DEAD_LETTERS_GROWING,
                                        Severity.WARNING,
                                        Optional.of(row.getString("subscription")),
                                        newDeadLetters(row.getLong("messages")) + " of " + row.getString("subscription")
                                                + " within " + Span.text(DEAD_LETTERS_WITHIN),
                                        Optional.empty())))
                .forEach(found::add);
    }

    private static String newDeadLetters(long counted) {
        return (counted > MAX_COUNTED ? "more than " + MAX_COUNTED : counted)
                + (counted == 1 ? " new dead letter" : " new dead letters");
    }

    /** Reads in one transaction, and only what the status does not rule out: there may be hundreds of subscriptions. */
    private void checkBlockedKeys(List<SubscriptionStatus> all) throws SQLException {
        List<SubscriptionStatus> dead = all.stream()
                .filter(status -> status.keysBlockedByDead().atLeast() > 0)
                .toList();
        List<SubscriptionStatus> waiting =
                all.stream().filter(Diagnosis::mayBeBlockedLong).toList();
        if (dead.isEmpty() && waiting.isEmpty()) {
            return;
        }
        Transaction.run(database, connection -> {
            for (SubscriptionStatus status : waiting) {
                checkWaitingKeys(connection, status);
            }
            for (SubscriptionStatus status : dead) {
                checkDeadKeys(connection, status);
            }
            return null;
        });
    }

    /** Whether a key may have been blocked for an hour; false only if the status has the age of each message that fails. */
    private static boolean mayBeBlockedLong(SubscriptionStatus status) {
        boolean blocked = status.blocked().atLeast() > 0 || status.blocked().more();
        return blocked && (status.waiting().more() || status.blockedOldest().compareTo(BLOCKED) >= 0);
    }

    private void checkWaitingKeys(Connection connection, SubscriptionStatus status) throws SQLException {
        BlockedKey.waiting(connection, status.name(), now.minus(BLOCKED), 1)
                .forEach(key -> add(
                        Name.KEY_BLOCKED_LONG,
                        Severity.WARNING,
                        status.name(),
                        "a key of " + status.name() + " has been failing for "
                                + Span.text(Duration.between(key.failingSince(), now)) + ", "
                                + behind(key.behind()) + " behind it",
                        Optional.of(key.failingSince())));
    }

    /** Reported at once: these keys continue only after a person has retried or discarded their dead letters. */
    private void checkDeadKeys(Connection connection, SubscriptionStatus status) throws SQLException {
        boolean one = status.keysBlockedByDead().toString().equals("1");
        BlockedKey.dead(connection, status.name(), Instant.MAX, 1)
                .forEach(key -> add(
                        Name.KEYS_BLOCKED_BY_DEAD_LETTERS,
                        Severity.WARNING,
                        status.name(),
                        status.keysBlockedByDead()
                                + (one ? " key of " : " keys of ")
                                + status.name()
                                + (one ? " is blocked by a dead letter, " : " are blocked by dead letters, ")
                                + behind(key.behind())
                                + (one ? " behind it" : " behind the oldest, " + key.id()),
                        Optional.of(key.failingSince())));
    }

    private static String behind(BoundedCount messages) {
        return messages + (messages.toString().equals("1") ? " message waits" : " messages wait");
    }

    /** A gap can stay open as long as a transaction that may fill it, so the oldest such transaction is reported. */
    private void checkGaps(List<SubscriptionStatus> all) throws SQLException {
        if (all.stream().allMatch(status -> status.gaps() == 0)) {
            return;
        }
        Instant limit = now.minus(GAP);
        OpenTransaction.all(database).stream()
                .filter(writer -> writer.since().filter(limit::isAfter).isPresent())
                .findFirst()
                .ifPresent(writer -> found.add(new Problem(
                        Name.GAP_OPEN_LONG,
                        Severity.WARNING,
                        Optional.empty(),
                        "a transaction that wrote to the outbox (" + writer.name() + ") has been open for "
                                + Span.text(Duration.between(writer.since().orElseThrow(), now)),
                        writer.since())));
    }

    private void checkPartitions(List<Partition> partitions) {
        boolean ahead = partitions.stream()
                .anyMatch(partition -> partition.state() == Partition.State.AHEAD
                        && partition.ids().isPresent());
        if (!ahead && !partitions.isEmpty()) {
            found.add(new Problem(
                    Name.PARTITIONS_RUNNING_OUT,
                    Severity.WARNING,
                    Optional.empty(),
                    "no partition of the outbox exists for the next ids",
                    Optional.empty()));
        }
        List<Partition> held = partitions.stream()
                .filter(partition -> partition.state() == Partition.State.HELD_BACK)
                .toList();
        if (!held.isEmpty()) {
            List<Holder> holders = held.get(0).holders();
            found.add(new Problem(
                    Name.PRUNING_HELD_BACK,
                    Severity.WARNING,
                    holders.stream().map(Holder::subscription).findFirst(),
                    held.get(0).name() + (held.size() == 1 ? "" : " and " + (held.size() - 1) + " more")
                            + " cannot be pruned: "
                            + (holders.isEmpty()
                                    ? "no subscription has read it"
                                    : holders.stream().map(Holder::toString).collect(Collectors.joining(", "))),
                    Optional.empty()));
        }
    }

    /** Every instance may have been told not to do it. While none runs, this is what is reported. */
    private void checkHousekeeping(List<SubscriptionStatus> all) throws SQLException {
        if (all.stream().noneMatch(status -> status.owner().isPresent())
                || found.stream().anyMatch(problem -> problem.name() == Name.PRUNING_HELD_BACK)) {
            return;
        }
        Optional<Instant> since = housekeepingEnd().or(samples::begun);
        if (since.filter(now.minus(NO_HOUSEKEEPING)::isAfter).isPresent()) {
            found.add(new Problem(
                    Name.PRUNING_HELD_BACK,
                    Severity.WARNING,
                    Optional.empty(),
                    "no relay or application does housekeeping, so nothing is pruned",
                    since));
        }
    }

    /** Empty if nobody has ever done it. A role that may not read it learns nothing: the time is the present. */
    private Optional<Instant> housekeepingEnd() throws SQLException {
        try {
            return Sql.file("operate/housekeeping_end")
                    .first(database, row -> row.getTimestamp("until").toInstant());
        } catch (SQLException e) {
            if (DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
                return Optional.of(now);
            }
            throw e;
        }
    }

    private void add(Name name, Severity severity, String subscription, String text, Optional<Instant> since) {
        found.add(new Problem(name, severity, Optional.of(subscription), text, since));
    }
}
