package dev.caravan.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.text.Span;
import dev.caravan.database.Database;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan top}: refreshes the delivery rate of each subscription, largest lag first. */
@Command(
        name = "top",
        description = {
            "Show the delivery rate of each subscription, largest lag first, and refresh until q or Ctrl-C.",
            "RATE is the number of messages delivered per second since the last refresh, including retries and replays."
                    + " DRAINED IN is shown while the backlog decreases. LATENCY is the 99th percentile of the time from insert to"
                    + " delivery, over the last seconds."
        })
final class TopCommand implements Callable<Integer> {
    /** A subscription and its rate since the previous refresh; without one at the first. */
    private record Pace(
            @JsonUnwrapped SubscriptionStatus status,
            Optional<Double> ratePerSecond,
            Optional<Double> secondsToDrain) {}

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

    @Mixin
    private SettingsOptions options;

    @Mixin
    private IntervalOption interval;

    @Mixin
    private OutputOption output;

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
            return output.refresh(TABLE.text(paces), paces);
        });
        return 0;
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%.0f/s", perSecond);
    }
}
