package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.ReportStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes the reports of all lanes of this relay that differ from their last ones, by one statement. */
final class Reports {
    private final Collection<? extends Follower> lanes;
    private final Predicate<Lane> followsTail;
    private final Supplier<LaneConnections> connections;
    private final SharedStatement statement;
    /** The report in the row of each lane, as far as it is known. */
    private final Map<Follower, ReportStore.Report> written = new ConcurrentHashMap<>();

    Reports(
            Collection<? extends Follower> lanes,
            Predicate<Lane> followsTail,
            Supplier<LaneConnections> connections,
            Clock clock) {
        this.lanes = lanes;
        this.followsTail = followsTail;
        this.connections = connections;
        statement = new SharedStatement(clock);
    }

    void reportIfDue(Duration horizon) {
        lanes.stream()
                .findAny()
                .ifPresent(any -> statement.runIfDue(any.settings().reportInterval(horizon), this::report));
    }

    private void report() {
        Map<ReportStore.Report, Follower> changed = new LinkedHashMap<>();
        Set<Follower> owned = new HashSet<>();
        for (Follower loop : lanes) {
            Lane lane = loop.lane();
            if (lane != null) {
                owned.add(loop);
                ReportStore.Report report = report(loop, lane);
                if (!report.equals(written.get(loop))) {
                    changed.put(report, loop);
                }
            }
        }
        written.keySet().retainAll(owned);
        written.keySet().removeAll(changed.values()); // until they are known to be written
        if (!changed.isEmpty()) {
            new ReportStore(new JdbcTemplate(connections.get()))
                    .write(List.copyOf(changed.keySet()))
                    .forEach(report -> written.put(changed.get(report), report));
        }
    }

    private ReportStore.Report report(Follower loop, Lane lane) {
        boolean strict = loop.settings().order() == Order.strict;
        return new ReportStore.Report(loop.id(), lane.epoch(), strict, followsTail.test(lane), lane.report());
    }
}
