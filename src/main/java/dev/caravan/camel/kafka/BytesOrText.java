package dev.caravan.camel.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serializer;

/** Writes bytes unchanged, and the text of any other value, such as a number, as UTF-8. */
public final class BytesOrText implements Serializer<Object> {
    @Override
    public byte[] serialize(String topic, Object value) {
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        return value.toString().getBytes(StandardCharsets.UTF_8);
    }
}
