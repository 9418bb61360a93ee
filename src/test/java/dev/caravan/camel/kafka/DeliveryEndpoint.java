package dev.caravan.camel.kafka;

import dev.caravan.camel.step.OutboxDelivery;
import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.support.DefaultEndpoint;

/** Sends every exchange to an endpoint as if it had a message of an outbox. */
final class DeliveryEndpoint extends DefaultEndpoint {
    private final String uri;

    DeliveryEndpoint(CamelContext context, String uri) {
        super("delivery:" + uri, null);
        setCamelContext(context);
        this.uri = uri;
    }

    /** The endpoint with the options for messages of an outbox. */
    static KafkaEndpoint of(CamelContext context, String uri) throws Exception {
        return (KafkaEndpoint) new DeliveryEndpoint(context, uri).createProducer().getEndpoint();
    }

    @Override
    public Producer createProducer() throws Exception {
        return ((OutboxDelivery) getCamelContext().getEndpoint(uri)).createDelivery();
    }

    @Override
    public Consumer createConsumer(Processor processor) {
        throw new UnsupportedOperationException();
    }
}
