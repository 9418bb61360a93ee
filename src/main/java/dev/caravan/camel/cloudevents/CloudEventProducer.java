package dev.caravan.camel.cloudevents;

import dev.caravan.camel.cloudevents.CloudEventEndpoint.Mode;
import dev.caravan.camel.guard.Send;
import dev.caravan.camel.headers.EventHeaders;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.support.DefaultProducer;

/** Sets the headers and the body of an event. The endpoint that follows sends the headers of its binding only. */
final class CloudEventProducer extends DefaultProducer {
    private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";
    /** The name that Kafka requires; HTTP ignores case. */
    private static final String CONTENT_TYPE = "content-type";

    private final Mode mode;
    private final String source;
    /** Receivers tell events apart by source and id. */
    private final String step;

    private final Map<String, String> extensions;

    /** @param extensions names of extension attributes by the names of their headers */
    CloudEventProducer(CloudEventEndpoint endpoint, Mode mode, String source, Map<String, String> extensions) {
        super(endpoint);
        this.mode = mode;
        this.source = source;
        step = "cloud-event " + source;
        this.extensions = extensions;
    }

    @Override
    public void process(Exchange exchange) {
        Message message = exchange.getMessage();
        Send send = new Send(exchange, step);
        Map<String, String> attributes = Attributes.of(message, send.eventId(), source, extensions);
        EventData data = EventData.of(message);
        if (mode == Mode.binary) {
            data.requireNoEvent();
        }
        EventHeaders.clear(exchange);
        message.removeHeader(CONTENT_TYPE);
        if (mode == Mode.binary) {
            attributes.forEach((name, value) -> EventHeaders.set(exchange, name, value));
            message.setBody(data.body());
            if (data.body() != null) {
                message.setHeader(CONTENT_TYPE, data.contentType());
            }
        } else {
            message.removeHeader(Exchange.CONTENT_ENCODING);
            message.setBody(document(attributes, data));
            message.setHeader(CONTENT_TYPE, STRUCTURED);
        }
        send.succeeded();
    }

    /** The event as in the JSON format of CloudEvents 1.0.2. */
    private static String document(Map<String, String> attributes, EventData data) {
        StringBuilder json = new StringBuilder("{");
        attributes.forEach((name, value) -> append(json, name, value));
        if (data.contentType() != null) {
            append(json, "datacontenttype", data.contentType());
        }
        data.appendTo(json);
        return json.append('}').toString();
    }

    private static void append(StringBuilder json, String name, String value) {
        json.append(json.length() == 1 ? "\"" : ",\"").append(name).append("\":");
        EventData.quote(json, value);
    }
}
