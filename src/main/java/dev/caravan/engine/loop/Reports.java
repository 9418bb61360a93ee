package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.ReportStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes the reports of all lanes of this relay that differ from their last ones, by one statement. */
final class Reports {
    private final Map<Lane, LaneParts> lanes;
    private final Supplier<LaneConnections> connections;
    private final SharedStatement statement;
    /** The report in the row of each lane, as far as it is known. */
    private final Map<Lane, ReportStore.Report> written = new ConcurrentHashMap<>();

    Reports(Map<Lane, LaneParts> lanes, Supplier<LaneConnections> connections, Clock clock) {
        this.lanes = lanes;
        this.connections = connections;
        statement = new SharedStatement(clock);
    }

    void reportIfDue(Duration horizon) {
        lanes.values().stream()
                .findAny()
                .ifPresent(any -> statement.runIfDue(any.settings().reportInterval(horizon), this::report));
    }

    private void report() {
        written.keySet().retainAll(lanes.keySet());
        Map<ReportStore.Report, Lane> changed = new LinkedHashMap<>();
        lanes.forEach((lane, parts) -> {
            var report = new ReportStore.Report(
                    parts.id(), lane.epoch(), parts.settings().order() == Order.strict, lane.report());
            if (!report.equals(written.get(lane))) {
                changed.put(report, lane);
            }
        });
        if (!changed.isEmpty()) {
            written.keySet().removeAll(changed.values()); // until they are known to be written
            new ReportStore(new JdbcTemplate(connections.get()))
                    .write(List.copyOf(changed.keySet()))
                    .forEach(report -> written.put(changed.get(report), report));
        }
    }
}
