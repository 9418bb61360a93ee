package dev.caravan.camel.outbox;

import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.support.PluginHelper;

/** The shipped files that classify failures, and the setting of a relay that leaves retries to the outbox. */
final class ShippedPolicy {
    private ShippedPolicy() {}

    static void load(CamelContext camel) throws Exception {
        camel.getComponent("http", HttpComponent.class).setAutomaticRetriesDisabled(true);
        var resources = PluginHelper.getResourceLoader(camel);
        PluginHelper.getRoutesLoader(camel)
                .loadRoutes(Stream.of("error-handling", "dead-letter")
                        .map(file -> resources.resolveResource("classpath:built-in/" + file + ".camel.yaml"))
                        .toList());
    }
}
