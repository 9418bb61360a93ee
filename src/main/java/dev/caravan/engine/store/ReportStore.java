package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.schedule.Outage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes the reports of several lanes into their rows by one statement. */
public final class ReportStore {
    /**
     * A report to write.
     *
     * @param epoch the epoch of the lane: the report changes nothing if another relay has claimed it
     * @param strict whether the subscription has order {@code strict}
     * @param followsTail whether the lane takes its messages from the tail; otherwise it is behind and reads for itself
     */
    public record Report(LaneId lane, long epoch, boolean strict, boolean followsTail, LaneReport values) {
        private <T> Optional<T> ofOutage(Function<Outage, T> value) {
            return values.outage().map(value);
        }

        private <T> Optional<T> ofRate(Function<RateShare.Use, T> value) {
            return values.rate().map(value);
        }
    }

    private final JdbcTemplate jdbc;

    public ReportStore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns the reports that were written: not those of lanes that are lost, or whose row was locked. */
    public List<Report> write(List<Report> reports) {
        Rows rows = new Rows(reports);
        return Sql.file("engine/report")
                .with("subscriptions", rows.of(report -> report.lane().subscription(), String[]::new))
                .with("lanes", rows.of(report -> report.lane().number(), Integer[]::new))
                .with("epochs", rows.of(Report::epoch, Long[]::new))
                .with("strict", rows.of(Report::strict, Boolean[]::new))
                .with("follow", rows.of(Report::followsTail, Boolean[]::new))
                .with("in_flight", rows.of(report -> report.values().inFlight(), Integer[]::new))
                .with("latency_millis", rows.of(ReportStore::latency, Integer[]::new))
                .with(
                        "unavailable_millis",
                        rows.ofOptional(
                                report -> report.ofOutage(Outage::lasting).map(Duration::toMillis), Long[]::new))
                .with("errors", rows.ofOptional(report -> report.ofOutage(Outage::reason), String[]::new))
                .with(
                        "probe_millis",
                        rows.ofOptional(
                                report -> report.ofOutage(Outage::untilProbe).map(Duration::toMillis), Long[]::new))
                .with(
                        "rates",
                        rows.ofOptional(
                                report -> report.ofRate(use -> use.limit().toString()), String[]::new))
                .with(
                        "attempts_per_second",
                        rows.ofOptional(report -> report.ofRate(RateShare.Use::perSecond), Double[]::new))
                .with("waits_for_rate", rows.ofOptional(report -> report.ofRate(RateShare.Use::waited), Boolean[]::new))
                .with(
                        "unused_millis",
                        rows.ofOptional(
                                report -> report.ofRate(use -> use.unused().toMillis()), Long[]::new))
                .query(jdbc, row -> reports.get(row.getInt(1) - 1));
    }

    private static Integer latency(Report report) {
        return report.values().latencyMillis().isPresent()
                ? (Integer) report.values().latencyMillis().getAsInt()
                : null;
    }

    /** The reports as one array for each column. */
    private record Rows(List<Report> reports) {
        <T> T[] of(Function<Report, T> value, java.util.function.IntFunction<T[]> array) {
            return reports.stream().map(value).toArray(array);
        }

        <T> T[] ofOptional(Function<Report, Optional<T>> value, java.util.function.IntFunction<T[]> array) {
            return of(report -> value.apply(report).orElse(null), array);
        }
    }
}
