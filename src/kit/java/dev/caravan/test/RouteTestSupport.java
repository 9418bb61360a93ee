package dev.caravan.test;

import org.apache.camel.CamelContext;
import org.apache.camel.main.Main;
import org.apache.camel.test.main.junit5.CamelMainTestSupport;
import org.junit.jupiter.api.BeforeEach;

/**
 * Base class for tests of routes in the style of Camel. The routes run in the context of Camel's test support, so its mocks, its templates and
 * {@code AdviceWith} can be used; the messages come from the test outbox of a {@link RouteTest}. Every endpoint that would connect to another
 * process is replaced, also behind a mock.
 *
 * <pre>{@code
 * class OrderRoutesTest extends RouteTestSupport {
 *     @Override
 *     protected RouteTestBuilder tested() {
 *         return RouteTest.of("routes/orders.camel.yaml");
 *     }
 *
 *     @Override
 *     public void configureContext(CamelContextConfiguration configuration) {
 *         super.configureContext(configuration);
 *         configuration.withMockEndpoints("kafka:*");
 *     }
 *
 *     @Test
 *     void a_paid_order_goes_to_the_warehouse() throws Exception {
 *         MockEndpoint shipments = getMockEndpoint("mock:kafka:shipments");
 *         shipments.expectedHeaderReceived("type", "order.paid");
 *
 *         routes.send(message("order.paid").payload("{\"parcels\": 2}")).assertDelivered();
 *
 *         shipments.assertIsSatisfied();
 *     }
 * }
 * }</pre>
 */
public abstract class RouteTestSupport extends CamelMainTestSupport {
    /** The routes of the running test: sends messages to them, sets answers, and lets time pass. */
    protected RouteTest routes;

    /** Names the routes to test, with their settings, beans and database. */
    protected abstract RouteTestBuilder tested();

    @Override
    protected CamelContext createCamelContext() {
        routes = tested().build();
        return routes.prepare(this::configure);
    }

    /** As {@link CamelMainTestSupport} does for its own context. */
    private void configure(Main main) {
        if (getMainClass() != null) {
            main.configure().withBasePackageScan(getMainClass().getPackageName());
        }
        if (getPropertyPlaceholderFileName() != null) {
            main.setPropertyPlaceholderLocations(getPropertyPlaceholderLocations());
        }
        configure(main.configure());
    }

    /** Clears the messages of an earlier test of a class that has one context for all. */
    @BeforeEach
    void reset() {
        routes.reset();
    }
}
