package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;

/**
 * Adapts the limit of the connection pool of the routes to the running routes. A pool opens connections as they are needed and closes
 * idle ones, so a limit costs nothing by itself.
 */
final class ConnectionPools implements RouteLanes.Listener {
    private final RouteLanes lanes;
    private final HikariDataSource routes;

    /** @param routes the pool of the steps of routes */
    ConnectionPools(RouteLanes lanes, HikariDataSource routes) {
        this.lanes = lanes;
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
        routes.setMaximumPoolSize(Database.connectionsOfRoutes(largest));
    }
}
