package dev.caravan.relay;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.Resource;
import org.apache.camel.spi.ResourceReload;
import org.apache.camel.support.PluginHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads a new or changed route file separately. Camel's own reload repeats a failed file with every later one, so that one
 * broken file would prevent all others from being reloaded.
 */
final class RouteFile implements ResourceReload {
    private static final Logger LOG = LoggerFactory.getLogger(RouteFile.class);

    private final CamelContext context;

    RouteFile(CamelContext context) {
        this.context = context;
    }

    @Override
    public void onReload(String name, Resource file) throws Exception {
        if (Files.exists(Path.of(file.getURI()))) {
            Set<String> routes = PluginHelper.getRoutesLoader(context).updateRoutes(List.of(file));
            LOG.info("Reloaded {}; its routes: {}", name, routes);
        }
    }
}
