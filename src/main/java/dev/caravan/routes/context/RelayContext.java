package dev.caravan.routes.context;

import dev.caravan.camel.guard.AddressQuery;
import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.spi.Registry;
import org.apache.camel.support.EndpointHelper;

/** A Camel context in which the query of an address of HTTP arrives as a route or a setting says. */
public class RelayContext extends DefaultCamelContext {
    /** Creates a context that is not built yet. */
    public RelayContext(Registry registry) {
        super(false);
        getCamelContextExtension().setRegistry(registry);
    }

    @Override
    protected Endpoint doGetEndpoint(
            String uri, Map<String, Object> parameters, boolean normalized, boolean prototype) {
        String address = normalized || uri == null
                ? uri
                : AddressQuery.asWritten(EndpointHelper.resolveEndpointUriPropertyPlaceholders(this, uri));
        return super.doGetEndpoint(address, parameters, normalized, prototype);
    }
}
