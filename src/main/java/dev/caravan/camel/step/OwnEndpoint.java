package dev.caravan.camel.step;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;

/**
 * An endpoint that one producer uses, with an object that only this endpoint uses. The object is in no registry: it would stay there when the route is
 * removed, and others cannot read that of Camel while an object is bound.
 */
public final class OwnEndpoint {
    private static final AtomicLong NUMBER = new AtomicLong();

    private final CamelContext context;
    private final String uri;
    private final String option;
    private final Supplier<Object> object;
    private Endpoint endpoint;

    /**
     * @param uri with a query
     * @param option of the endpoint that is the object
     */
    public OwnEndpoint(CamelContext context, String uri, String option, Supplier<Object> object) {
        this.context = context;
        this.uri = uri;
        this.option = option;
        this.object = object;
    }

    Endpoint open() {
        endpoint = context.getEndpoint(uri + "&hash=own-" + NUMBER.incrementAndGet(), Map.of(option, object.get()));
        return endpoint;
    }

    void close() throws Exception {
        context.removeEndpoint(endpoint);
    }
}
