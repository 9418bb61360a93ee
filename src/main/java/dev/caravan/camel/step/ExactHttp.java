package dev.caravan.camel.step;

import java.net.URI;
import org.apache.camel.Endpoint;

/** An endpoint of HTTP that sends messages of an outbox also to other addresses. */
public interface ExactHttp {
    /**
     * An endpoint with the same options and connections that sends to this address as it is. It has nothing to be stopped.
     *
     * @param isWhole whether a path and a query of the address replace those that headers of a message have; both headers are then removed, as after an
     *     optimised toD of Camel. Otherwise a path of a header is added, and a query of a header replaces that of the address
     */
    Endpoint at(URI address, boolean isWhole);
}
