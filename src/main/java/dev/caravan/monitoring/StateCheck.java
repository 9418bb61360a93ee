package dev.caravan.monitoring;

import dev.caravan.context.FilesNotLoaded;
import java.util.Map;
import java.util.Set;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** Names the changed route files that could not be loaded. Never DOWN, because their previous versions and all other routes continue. */
final class RouteFilesCheck extends AbstractHealthCheck {
    private final FilesNotLoaded notLoaded;

    RouteFilesCheck(FilesNotLoaded notLoaded) {
        super("caravan", "route-files");
        this.notLoaded = notLoaded;
    }

    @Override
    public boolean isLiveness() {
        return false;
    }

    @Override
    public boolean isReadiness() {
        return false;
    }

    @Override
    protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
        Set<String> names = notLoaded.names();
        result.up()
                .message(
                        names.isEmpty()
                                ? "all changes are loaded"
                                : "degraded: could not load " + String.join(", ", names)
                                        + "; the log of this relay says why");
    }
}
