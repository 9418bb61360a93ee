package dev.caravan.cli;

import dev.caravan.base.message.Json;
import dev.caravan.base.text.Span;
import dev.caravan.database.Database;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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
    private static final Comparator<Rates.Pace> LARGEST_LAG_FIRST = Comparator.comparing(
                    (Rates.Pace pace) -> pace.status().lag())
            .reversed()
            .thenComparing(pace -> pace.status().name());

    @Spec
    private CommandSpec spec;

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
        Rates rates = new Rates(System::nanoTime);
        boolean redrawn = output.isRedrawn();
        new Watch(
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr(),
                        redrawn,
                        redrawn ? new QuitKey() : Watch.UNTIL_STOPPED)
                .run(refresh, () -> {
                    List<Rates.Pace> paces = rates.update(SubscriptionStatus.all(database)).stream()
                            .sorted(LARGEST_LAG_FIRST)
                            .toList();
                    return output.isJson() ? Json.line(paces) : Watch.dated(text(paces));
                });
        return 0;
    }

    private static String text(List<Rates.Pace> paces) {
        if (paces.isEmpty()) {
            return StatusCommand.NONE_YET;
        }
        Table table = new Table(
                "SUBSCRIPTION",
                "LAG>",
                "BACKLOG>",
                "RATE>",
                "DRAINED IN>",
                "IN FLIGHT>",
                "LATENCY>",
                "WAITING>",
                "DEAD>",
                "STATE");
        for (Rates.Pace pace : paces) {
            SubscriptionStatus status = pace.status();
            table.row(
                    status.name(),
                    Span.text(status.lag()),
                    StatusCommand.backlog(status),
                    pace.perSecond().isPresent() ? rate(pace.perSecond().getAsDouble()) : "-",
                    pace.untilDrained().map(Span::text).orElse("-"),
                    status.inFlight().map(Object::toString).orElse("-"),
                    status.latencyMillis()
                            .map(millis -> Span.text(Duration.ofMillis(millis)))
                            .orElse("-"),
                    status.waiting(),
                    status.deadLetters(),
                    StatusCommand.state(status));
        }
        return table.toString();
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%.0f/s", perSecond);
    }
}
