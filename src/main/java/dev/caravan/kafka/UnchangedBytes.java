package dev.caravan.kafka;

import org.apache.camel.Endpoint;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends bytes to Kafka unchanged. With the serializer for text, which is Camel's default, the kafka component would first decode a
 * body of bytes as UTF-8 and replace what is not valid. With the one for bytes it converts text and streams to bytes, and
 * {@link BytesOrText} what it cannot convert.
 */
public final class UnchangedBytes implements EndpointStrategy {
    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof KafkaEndpoint kafka
                && StringSerializer.class
                        .getName()
                        .equals(kafka.getConfiguration().getValueSerializer())) {
            kafka.getConfiguration().setValueSerializer(ByteArraySerializer.class.getName());
        }
        return endpoint;
    }
}
