package dev.caravan.camel.step;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;

/**
 * An endpoint that one producer uses, with a bean that only this endpoint uses. Otherwise Camel would retain both after the route is
 * removed, and add others whenever the route is loaded again.
 */
public final class OwnEndpoint {
    /** The beginning of the names of these beans. */
    public static final String BEANS = "caravan-step-";

    private static final AtomicLong NUMBER = new AtomicLong();

    private final CamelContext context;
    private final Supplier<Object> bean;
    private final UnaryOperator<String> uri;
    private String name;
    private Endpoint endpoint;

    /**
     * @param bean creates the bean
     * @param uri creates the URI from the reference of the bean
     */
    public OwnEndpoint(CamelContext context, Supplier<Object> bean, UnaryOperator<String> uri) {
        this.context = context;
        this.bean = bean;
        this.uri = uri;
    }

    Endpoint open() {
        name = BEANS + NUMBER.incrementAndGet();
        context.getRegistry().bind(name, bean.get());
        endpoint = context.getEndpoint(uri.apply("#bean:" + name));
        return endpoint;
    }

    void close() throws Exception {
        context.removeEndpoint(endpoint);
        context.getRegistry().unbind(name);
    }
}
