package dev.caravan.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Span;
import dev.caravan.database.Database;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan top}: refreshes the delivery rate of each subscription, largest lag first, and the rate at which intakes copy rows. */
@Command(
        name = "top",
        description = {
            "Show the delivery rate of each subscription, largest lag first, then the intakes, and refresh until q or"
                    + " Ctrl-C.",
            "RATE is the number of messages delivered per second since the last refresh, including retries and replays."
                    + " DRAINED IN is shown while the backlog decreases. LATENCY is the 99th percentile of the time from insert to"
                    + " delivery, over the last seconds. COPIED of an intake is the number of rows copied per second."
        })
final class TopCommand implements Callable<Integer> {
    /** A subscription and its rate since the previous refresh; without one at the first. */
    private record Pace(
            @JsonUnwrapped SubscriptionStatus status,
            Optional<Double> ratePerSecond,
            Optional<Double> secondsToDrain) {}

    /** An intake and the rows that it copied per second since the previous refresh; without a number at the first. */
    private record Copying(@JsonUnwrapped IntakeStatus status, Optional<Double> ratePerSecond) {}

    /** The intakes at a time of this machine. */
    private record Moment(long nanos, Map<String, Long> copied) {
        Copying since(IntakeStatus intake, long now) {
            Optional<Double> rate = Optional.ofNullable(copied.get(intake.name()))
                    .map(before -> Math.max(0, intake.copied() - before) * 1e9 / (now - nanos));
            return new Copying(intake, rate);
        }
    }

    private static final Comparator<Pace> LARGEST_LAG_FIRST = Comparator.comparing(
                    (Pace pace) -> pace.status().lag())
            .reversed()
            .thenComparing(pace -> pace.status().name());

    private static final Table<Pace> TABLE = new Table<Pace>(StatusCommand.NONE_YET)
            .column("SUBSCRIPTION", pace -> pace.status().name())
            .column("LAG>", pace -> Span.text(pace.status().lag()))
            .column("BACKLOG>", pace -> StatusCommand.backlog(pace.status()))
            .column("RATE>", pace -> pace.ratePerSecond().map(TopCommand::rate))
            .column("DRAINED IN>", pace -> pace.secondsToDrain()
                    .map(left -> Span.text(Duration.ofMillis(Math.round(left * 1_000)))))
            .column("IN FLIGHT>", pace -> pace.status().inFlight())
            .column("LATENCY>", pace -> pace.status()
                    .latencyMillis()
                    .map(Duration::ofMillis)
                    .map(Span::text))
            .column("WAITING>", pace -> pace.status().waiting())
            .column("DEAD>", pace -> pace.status().deadLetters())
            .column("STATE", pace -> StatusCommand.state(pace.status()));

    private static final Table<Copying> INTAKES = new Table<Copying>()
            .column("INTAKE", intake -> intake.status().name())
            .column("LAG>", intake -> Span.text(intake.status().lag()))
            .column("COPIED>", intake -> intake.ratePerSecond().map(TopCommand::rate))
            .column("DEAD>", intake -> intake.status().deadLetters())
            .column("STATE", intake -> IntakeText.state(intake.status()));

    @Mixin
    private SettingsOptions options;

    @Mixin
    private IntervalOption interval;

    @Mixin
    private OutputOption output;

    private Moment before = new Moment(0, Map.of());

    @Override
    public Integer call() throws SQLException, InterruptedException {
        Duration refresh = interval.duration();
        DataSource database = Database.forCommand(options.settings());
        RecentSamples samples = MeasuredRate.samples();
        output.watch(output.isRedrawn() ? new QuitKey() : Watch.UNTIL_STOPPED).run(refresh, () -> {
            List<Pace> paces = MeasuredRate.sample(samples, database).stream()
                    .map(status -> new Pace(status, samples.rate(status.name()), samples.secondsToDrain(status)))
                    .sorted(LARGEST_LAG_FIRST)
                    .toList();
            List<Copying> intakes = intakes(database);
            return output.refresh(
                    TABLE.text(paces)
                            + IntakeText.below(
                                    INTAKES,
                                    intakes,
                                    intakes.stream().map(Copying::status).toList(),
                                    0,
                                    List.of()),
                    Stream.<Record>concat(paces.stream(), intakes.stream()).toList());
        });
        return 0;
    }

    private List<Copying> intakes(DataSource database) throws SQLException {
        List<IntakeStatus> all = new Intakes(database).list();
        long now = Clock.SYSTEM.nanos();
        List<Copying> intakes =
                all.stream().map(intake -> before.since(intake, now)).toList();
        before = new Moment(now, all.stream().collect(Collectors.toMap(IntakeStatus::name, IntakeStatus::copied)));
        return intakes;
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%.0f/s", perSecond);
    }
}
