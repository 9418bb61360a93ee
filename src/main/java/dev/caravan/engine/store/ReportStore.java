package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.schedule.Outage;
import java.util.List;
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
        private <T> T ofOutage(Function<Outage, T> value) {
            return values.outage().map(value).orElse(null);
        }

        private <T> T ofRate(Function<RateShare.Use, T> value) {
            return values.rate().map(value).orElse(null);
        }

        private Integer latency() {
            return values.latencyMillis().isPresent()
                    ? (Integer) values.latencyMillis().getAsInt()
                    : null;
        }
    }

    private final JdbcTemplate jdbc;

    public ReportStore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns the reports that were written: not those of lanes that are lost, or whose row was locked. */
    public List<Report> write(List<Report> reports) {
        return Sql.file("engine/report")
                .withEach("subscriptions", reports, report -> report.lane().subscription(), String[]::new)
                .withEach("lanes", reports, report -> report.lane().number(), Integer[]::new)
                .withEach("epochs", reports, Report::epoch, Long[]::new)
                .withEach("strict", reports, Report::strict, Boolean[]::new)
                .withEach("follow", reports, Report::followsTail, Boolean[]::new)
                .withEach("in_flight", reports, report -> report.values().inFlight(), Integer[]::new)
                .withEach("latency_millis", reports, Report::latency, Integer[]::new)
                .withEach(
                        "unavailable_millis",
                        reports,
                        report -> report.ofOutage(outage -> outage.lasting().toMillis()),
                        Long[]::new)
                .withEach("errors", reports, report -> report.ofOutage(Outage::reason), String[]::new)
                .withEach(
                        "probe_millis",
                        reports,
                        report -> report.ofOutage(outage -> outage.untilProbe().toMillis()),
                        Long[]::new)
                .withEach(
                        "rates",
                        reports,
                        report -> report.ofRate(use -> use.limit().toString()),
                        String[]::new)
                .withEach(
                        "attempts_per_second",
                        reports,
                        report -> report.ofRate(RateShare.Use::perSecond),
                        Double[]::new)
                .withEach("waits_for_rate", reports, report -> report.ofRate(RateShare.Use::waited), Boolean[]::new)
                .withEach(
                        "unused_millis",
                        reports,
                        report -> report.ofRate(use -> use.unused().toMillis()),
                        Long[]::new)
                .query(jdbc, row -> reports.get(row.getInt(1) - 1));
    }
}
