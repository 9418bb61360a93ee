package dev.caravan.camel.cloudevents;

import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.annotations.Component;
import org.apache.camel.support.DefaultComponent;

/** Turns the message of a route into an event of CloudEvents 1.0. */
@Component("cloud-event")
public class CloudEventComponent extends DefaultComponent {
    @Metadata(
            label = "producer",
            description = "The attribute source of the events of all routes, for example https://shop.example/orders.")
    private String source;

    @Override
    protected Endpoint createEndpoint(String uri, String mode, Map<String, Object> options) throws Exception {
        CloudEventEndpoint endpoint = new CloudEventEndpoint(uri, this, mode);
        endpoint.setSource(source);
        setProperties(endpoint, options);
        return endpoint;
    }

    public String getSource() {
        return source;
    }

    public void setSource(String source) {
        this.source = source;
    }
}
