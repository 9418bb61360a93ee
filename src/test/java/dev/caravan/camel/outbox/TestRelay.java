package dev.caravan.camel.outbox;

import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Processor;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/**
 * A relay in this process with one route, from an outbox endpoint to a processor. A test need not close it: {@link LeftOpenOutboxes} does.
 */
public final class TestRelay implements AutoCloseable {
    private final CamelContext context = new DefaultCamelContext();
    private final OutboxComponent component = new OutboxComponent();

    private TestRelay(DataSource dataSource) {
        LeftOpenOutboxes.OPEN.add(this);
        component.setLaneConnections(dataSource);
        context.getRegistry().bind("outbox", component);
        context.getShutdownStrategy().setTimeout(5);
        context.getShutdownStrategy().setLogInflightExchangesOnTimeout(false);
    }

    public static TestRelay start(TestOutbox outbox, String uri, Processor destination) throws Exception {
        return start(outbox.pool(), uri, destination, component -> {});
    }

    public static TestRelay start(
            DataSource dataSource, String uri, Processor destination, Consumer<OutboxComponent> options)
            throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        options.accept(relay.component);
        relay.context.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                errorHandler(new NoErrorHandlerBuilder()); // failures are part of the tests: no stack trace for each
                from("outbox:" + uri).routeId("tested").process(destination);
            }
        });
        relay.context.start();
        return relay;
    }

    /** With the error handling and the route dead-letter that are shipped. */
    static TestRelay startAsShipped(TestOutbox outbox, String uri, Processor destination) throws Exception {
        return startAsShipped(outbox.pool(), uri, destination);
    }

    static TestRelay startAsShipped(DataSource dataSource, String uri, Processor destination) throws Exception {
        return startAsShipped(dataSource, new RouteBuilder() {
            @Override
            public void configure() {
                from("outbox:" + uri).routeId("tested").process(destination).id("the-destination");
            }
        });
    }

    static TestRelay startAsShipped(DataSource dataSource, RouteBuilder routes) throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        ShippedPolicy.load(relay.context);
        relay.context.addRoutes(routes);
        relay.context.start();
        return relay;
    }

    /** With all routes and route configurations of a test, and nothing that is shipped. */
    static TestRelay startWith(DataSource dataSource, Map<String, String> settings, RoutesBuilder... routes)
            throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        settings.forEach(relay.context.getPropertiesComponent()::addInitialProperty);
        try {
            for (RoutesBuilder each : routes) {
                relay.context.addRoutes(each);
            }
            relay.context.start();
            return relay;
        } catch (Exception e) {
            relay.close();
            throw e;
        }
    }

    /** With routes of a test, which handle all failures themselves, and nothing that is shipped. */
    static TestRelay start(DataSource dataSource, Consumer<OutboxComponent> options, RoutesBuilder routes)
            throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        options.accept(relay.component);
        relay.context.addRoutes(routes);
        relay.context.start();
        return relay;
    }

    CamelContext context() {
        return context;
    }

    @Override
    public void close() throws Exception {
        LeftOpenOutboxes.OPEN.remove(this);
        context.close();
    }
}
