package dev.caravan.engine.loop;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outage;
import dev.caravan.engine.store.LaneId;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes the reports of a lane into its row. */
public final class LaneReports {
    private final JdbcTemplate jdbc;
    private final LaneId lane;
    private final Order order;

    public LaneReports(JdbcTemplate jdbc, LaneId lane, Order order) {
        this.jdbc = jdbc;
        this.lane = lane;
        this.order = order;
    }

    /** Writes the report of the lane; no effect if another relay has claimed it. */
    public void write(long epoch, LaneReport report) {
        Optional<Outage> outage = report.outage();
        Optional<RateShare.Use> rate = report.rate();
        Sql.file("engine/report")
                .with("subscription", lane.subscription())
                .with("lane", lane.number())
                .with("epoch", epoch)
                .with("strict", order == Order.strict)
                .with("in_flight", report.inFlight())
                .with(
                        "latency_millis",
                        report.latencyMillis().isPresent()
                                ? report.latencyMillis().getAsInt()
                                : null)
                .with(
                        "unavailable_millis",
                        outage.map(current -> current.lasting().toMillis()).orElse(null))
                .with("error", outage.map(Outage::reason).orElse(null))
                .with(
                        "probe_millis",
                        outage.map(current -> current.untilProbe().toMillis()).orElse(null))
                .with("rate", rate.map(use -> use.limit().toString()).orElse(null))
                .with("attempts_per_second", rate.map(RateShare.Use::perSecond).orElse(null))
                .with("waits_for_rate", rate.map(RateShare.Use::waited).orElse(null))
                .with("unused_millis", rate.map(use -> use.unused().toMillis()).orElse(null))
                .update(jdbc);
    }
}
