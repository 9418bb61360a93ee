package dev.caravan.engine.loop;

import dev.caravan.engine.lane.LaneReport;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outage;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.Sql;
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
        jdbc.update(
                Sql.REPORT.text(),
                order == Order.strict,
                report.inFlight(),
                report.latencyMillis().isPresent() ? report.latencyMillis().getAsInt() : null,
                outage.map(current -> current.lasting().toMillis()).orElse(null),
                outage.map(Outage::reason).orElse(null),
                outage.map(current -> current.untilProbe().toMillis()).orElse(null),
                rate.map(use -> use.limit().toString()).orElse(null),
                rate.map(RateShare.Use::perSecond).orElse(null),
                rate.map(RateShare.Use::waited).orElse(null),
                rate.map(use -> use.unused().toMillis()).orElse(null),
                lane.subscription(),
                lane.number(),
                epoch);
    }
}
