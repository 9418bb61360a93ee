package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.LaneCounters.Count;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Processor;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/**
 * A relay in this process, with one route from an outbox endpoint to a processor, or with the routes of a test. A test need not close it:
 * {@link LeftOpenOutboxes} does.
 */
public final class TestRelay implements AutoCloseable {
    private static final Consumer<OutboxComponent> DEFAULTS = component -> {};

    private final CamelContext context = new DefaultCamelContext();
    private final OutboxComponent component = new OutboxComponent();

    private TestRelay(DataSource dataSource) {
        LeftOpenOutboxes.OPEN.add(this);
        component.setLaneConnections(dataSource);
        component.setErrorHandling(false);
        context.getRegistry().bind("outbox", component);
        context.getShutdownStrategy().setTimeout(5);
        context.getShutdownStrategy().setLogInflightExchangesOnTimeout(false);
    }

    public static TestRelay start(TestOutbox outbox, String uri, Processor destination) throws Exception {
        return start(outbox.pool(), uri, destination);
    }

    static TestRelay start(DataSource dataSource, String uri, Processor destination) throws Exception {
        return start(dataSource, uri, destination, DEFAULTS);
    }

    public static TestRelay start(
            DataSource dataSource, String uri, Processor destination, Consumer<OutboxComponent> options)
            throws Exception {
        return start(dataSource, options, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder()); // failures are part of the tests: no stack trace for each
            routes.from("outbox:" + uri).routeId("tested").process(destination);
        });
    }

    /** With routes of a test, which handle all failures themselves, and nothing that is shipped. */
    static TestRelay start(DataSource dataSource, LambdaRouteBuilder routes) throws Exception {
        return start(dataSource, DEFAULTS, routes);
    }

    static TestRelay start(DataSource dataSource, Consumer<OutboxComponent> options, LambdaRouteBuilder routes)
            throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        options.accept(relay.component);
        RouteBuilder.addRoutes(relay.context, routes);
        relay.context.start();
        return relay;
    }

    /** With the error handling and the route dead-letter that are shipped. */
    static TestRelay startAsShipped(TestOutbox outbox, String uri, Processor destination) throws Exception {
        return startAsShipped(outbox.pool(), uri, destination);
    }

    static TestRelay startAsShipped(DataSource dataSource, String uri, Processor destination) throws Exception {
        return startAsShipped(dataSource, routes -> routes.from("outbox:" + uri)
                .routeId("tested")
                .process(destination)
                .id("the-destination"));
    }

    static TestRelay startAsShipped(DataSource dataSource, LambdaRouteBuilder routes) throws Exception {
        TestRelay relay = new TestRelay(dataSource);
        ShippedPolicy.load(relay.context);
        RouteBuilder.addRoutes(relay.context, routes);
        relay.context.start();
        return relay;
    }

    CamelContext context() {
        return context;
    }

    /** The sum of a counter of all lanes. */
    long counted(Count count) {
        return component.lanes().all().stream()
                .mapToLong(lane -> lane.counters().of(count))
                .sum();
    }

    @Override
    public void close() throws Exception {
        LeftOpenOutboxes.OPEN.remove(this);
        context.close();
    }
}
