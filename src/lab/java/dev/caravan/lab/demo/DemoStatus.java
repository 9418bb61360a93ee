package dev.caravan.lab.demo;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The status of a running demo, as text. */
final class DemoStatus {
    private final BookingApp app;
    private final Map<DemoDestination, RecordedArrivals> arrivals;
    private final DataSource database;

    DemoStatus(BookingApp app, DemoServers servers) {
        this.app = app;
        this.arrivals = servers.arrivals();
        this.database = servers.database();
    }

    /** A table and the last arrivals, for a terminal. */
    List<String> table() throws SQLException {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("%s committed, %,d rolled back"
                .formatted(Formatted.counted(app.committed(), "message"), app.rolledBack()));
        lines.add("");
        lines.add("%-18s %10s %10s".formatted("subscription", "backlog", "lag"));
        for (SubscriptionStatus each : SubscriptionStatus.all(database)) {
            lines.add("%-18s %,10d %8.1f s".formatted(each.name(), each.backlog(), seconds(each.lag())));
        }
        lines.add("");
        lines.add("%-18s %10s %10s".formatted("destination", "expected", "arrived"));
        for (DemoDestination each : DemoDestination.values()) {
            lines.add("%-18s %,10d %,10d"
                    .formatted(
                            each.title(),
                            app.expectedAt(each),
                            arrivals.get(each).size()));
        }
        lines.add("");
        for (DemoDestination each : DemoDestination.values()) {
            arrivals.get(each).samples().forEach(sample -> lines.add("%-15s %s".formatted(each.title(), sample)));
        }
        return lines;
    }

    /** One line for a log. */
    String line() throws SQLException {
        String delivered = Arrays.stream(DemoDestination.values())
                .map(each -> each.title() + " " + arrivals.get(each).size() + "/" + app.expectedAt(each))
                .collect(Collectors.joining(", "));
        String lag = SubscriptionStatus.all(database).stream()
                .map(each -> each.name() + " %.1f s".formatted(seconds(each.lag())))
                .collect(Collectors.joining(", "));
        return "committed " + app.committed() + "; arrived: " + delivered + "; lag: " + lag;
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    /** The last arrivals for a log, one per line. */
    List<String> samples() {
        return Arrays.stream(DemoDestination.values())
                .flatMap(each ->
                        arrivals.get(each).samples().stream().map(sample -> "%-15s %s".formatted(each.title(), sample)))
                .toList();
    }

    /** The number of arrivals at all destinations. */
    long arrived() {
        return arrivals.values().stream().mapToLong(RecordedArrivals::size).sum();
    }

    /** Whether all committed messages have arrived at all their destinations. */
    boolean allArrived() {
        return Arrays.stream(DemoDestination.values())
                .allMatch(each -> arrivals.get(each).size() >= app.expectedAt(each));
    }
}
