package dev.caravan.camel.step;

import java.net.URI;
import org.apache.camel.Endpoint;

/** An endpoint of HTTP that sends messages of an outbox also to other addresses. */
public interface ExactHttp {
    /** An endpoint with the same options and connections that sends to this address as it is. It has nothing to be stopped. */
    Endpoint at(URI address);
}
