package dev.caravan.camel.cloudevents;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.camel.Category;
import org.apache.camel.Consumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.spi.Metadata;
import org.apache.camel.spi.UriEndpoint;
import org.apache.camel.spi.UriParam;
import org.apache.camel.spi.UriPath;
import org.apache.camel.support.DefaultEndpoint;

/** Turns the message of a route into an event of CloudEvents 1.0, for the Kafka or HTTP endpoint that follows. */
@UriEndpoint(
        firstVersion = "0.3.0",
        scheme = "cloud-event",
        title = "CloudEvent",
        syntax = "cloud-event:mode",
        producerOnly = true,
        remote = false,
        category = {Category.TRANSFORMATION})
public class CloudEventEndpoint extends DefaultEndpoint {
    /** How the attributes are sent. */
    enum Mode {
        /** As headers; the body is the data. */
        binary,
        /** As one JSON document, together with the data. */
        structured
    }

    @UriPath(
            enums = "binary,structured",
            description =
                    "How the attributes are sent: as headers, with the body as data (binary); or with the data in one"
                            + " JSON document (structured).")
    @Metadata(required = true)
    private final String mode;

    @UriParam(
            label = "producer",
            description =
                    "The attribute source: a URI that names the application. Default: the option source of the component.")
    private String source;

    @UriParam(
            label = "producer",
            defaultValue = "traceparent,tracestate",
            description =
                    "Headers that become extension attributes, separated by commas. The attribute has the name of the header in"
                            + " lower case, with only its letters and digits.")
    private String extensions = "traceparent,tracestate";

    CloudEventEndpoint(String uri, CloudEventComponent component, String mode) {
        super(uri, component);
        this.mode = mode;
    }

    @Override
    public Producer createProducer() {
        if (Arrays.stream(Mode.values()).noneMatch(known -> known.name().equals(mode))) {
            throw new IllegalArgumentException("cloud-event: the mode must be binary or structured, got " + mode);
        }
        return new CloudEventProducer(this, Mode.valueOf(mode), checkedSource(), extensionNames());
    }

    private String checkedSource() {
        if (source == null || source.isBlank()) {
            throw new IllegalArgumentException("cloud-event:" + mode
                    + " has no source, the URI that names the application: set the option source,"
                    + " or camel.component.cloud-event.source for all routes");
        }
        try {
            return new URI(source).toString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("cloud-event:" + mode
                    + ": source must be a URI such as https://shop.example/orders, got " + source);
        }
    }

    /** The names of the attributes by the names of the headers. */
    private Map<String, String> extensionNames() {
        Map<String, String> names = new LinkedHashMap<>();
        for (String header : extensions.split(",")) {
            if (!header.isBlank()) {
                names.put(header.strip(), Attributes.extensionName(header.strip()));
            }
        }
        return names;
    }

    /** Not supported: events come from the outbox. */
    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException("cloud-event:" + mode + " is a step: a route cannot read from it");
    }

    @Override
    public boolean isSingletonProducer() {
        return true;
    }

    public String getMode() {
        return mode;
    }

    public String getSource() {
        return source;
    }

    public void setSource(String source) {
        this.source = source;
    }

    public String getExtensions() {
        return extensions;
    }

    public void setExtensions(String extensions) {
        this.extensions = extensions;
    }
}
