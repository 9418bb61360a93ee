package dev.caravan.lab.demo;

import dev.caravan.ComponentSettings;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.OutboxComponent;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;

/** The shipped route files as they are, with messages that a test gives them in place of the outbox. */
final class ShippedRoutes {
    private ShippedRoutes() {}

    static CamelContext start(Settings settings, DataSource database) throws Exception {
        Properties properties = new Properties();
        properties.putAll(settings.all());
        var camel = new DefaultCamelContext();
        camel.getPropertiesComponent().setInitialProperties(properties);
        camel.getRegistry().bind("dataSource", DataSource.class, database);
        OutboxByHand outbox = new OutboxByHand();
        outbox.setErrorHandling(false); // loaded below
        outbox.setOnDemand(append -> {});
        camel.addComponent("outbox", outbox);
        ComponentSettings.set(camel, settings.all());
        var resources = PluginHelper.getResourceLoader(camel);
        PluginHelper.getRoutesLoader(camel)
                .loadRoutes(Stream.of(
                                "routes/booking-sms",
                                "routes/customer-email",
                                "src/main/resources/built-in/error-handling",
                                "routes/orders-to-kafka")
                        .map(file -> resources.resolveResource("file:" + file + ".camel.yaml"))
                        .toList());
        camel.start();
        return camel;
    }

    /** Takes any options and runs the route in the thread of the caller. */
    private static final class OutboxByHand extends OutboxComponent {
        @Override
        protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters)
                throws Exception {
            if (remaining.equals("dead-letter")) {
                return super.createEndpoint(uri, remaining, parameters);
            }
            parameters.clear();
            return getCamelContext().getEndpoint("direct:" + remaining);
        }
    }
}
