package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;

/**
 * Adapts the limits of the connection pools to the lanes of the running routes. A pool opens connections as they are needed and
 * closes idle ones, so a limit costs nothing by itself.
 */
final class ConnectionPools implements RouteLanes.Listener {
    private final RouteLanes lanes;
    private final HikariDataSource outbox;
    private final HikariDataSource routes;

    /**
     * @param outbox the pool of the lanes
     * @param routes the pool of the steps of routes
     */
    ConnectionPools(RouteLanes lanes, HikariDataSource outbox, HikariDataSource routes) {
        this.lanes = lanes;
        this.outbox = outbox;
        this.routes = routes;
    }

    @Override
    public void added(RouteLane lane) {
        adapt();
    }

    @Override
    public void removed(RouteLane lane) {
        adapt();
    }

    private void adapt() {
        int largest =
                lanes.all().stream().mapToInt(RouteLane::concurrency).max().orElse(0);
        outbox.setMaximumPoolSize(Database.connectionsOf(lanes.all().size()));
        routes.setMaximumPoolSize(Database.connectionsOfRoutes(largest));
    }
}
