package dev.caravan.routes.destination;

import java.util.List;
import java.util.Optional;

/**
 * A Kafka record.
 *
 * @param partition the partition that the route chose; empty if the client chooses it by the key
 * @param key empty for none
 * @param value empty for none, a tombstone
 */
public record KafkaSent(
        String topic, Optional<Integer> partition, Optional<Bytes> key, List<Header> headers, Optional<Bytes> value)
        implements Sent {
    @Override
    public String kind() {
        return "kafka";
    }

    @Override
    public String destination() {
        return topic;
    }

    @Override
    public Bytes body() {
        return value.orElse(Bytes.EMPTY);
    }
}
