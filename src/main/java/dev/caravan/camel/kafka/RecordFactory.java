package dev.caravan.camel.kafka;

import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.headers.AnswerCharset;
import dev.caravan.camel.headers.KafkaHeaderNames;
import dev.caravan.camel.headers.OutgoingHeaders;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Exchange;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.producer.support.ProducerUtil;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.util.ObjectHelper;
import org.apache.camel.util.URISupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Converts the messages of a batch to records, with the same headers and options as Camel's producer. */
final class RecordFactory {
    private static final int USUAL_HEADERS = 6;
    /** Limits the cache, because rows can have any header names. */
    private static final int MAX_NAMES = 1_000;

    /** What a header is used for. */
    private enum Use {
        KEY,
        TOPIC,
        PARTITION,
        TIMESTAMP,
        SENT,
        NOT_SENT
    }

    private final KafkaConfiguration options;
    private final String topic;
    private final HeaderFilterStrategy filter;
    private final boolean namesDecide;
    private final boolean sendsBytes;
    /** The use of headers, by name; not for headers whose value decides whether they are sent. */
    private final Map<String, Use> uses = new ConcurrentHashMap<>();

    RecordFactory(KafkaEndpoint endpoint) {
        options = endpoint.getConfiguration();
        topic = options.getTopic() != null
                ? options.getTopic()
                : URISupport.extractRemainderPath(URI.create(endpoint.getEndpointUri()), true);
        filter = options.getHeaderFilterStrategy();
        namesDecide = OutgoingHeaders.dependOnNamesOnly(filter);
        sendsBytes = ByteArraySerializer.class.getName().equals(options.getValueSerializer());
        Map.of(
                        KafkaConstants.KEY, Use.KEY,
                        KafkaConstants.OVERRIDE_TOPIC, Use.TOPIC,
                        KafkaConstants.PARTITION_KEY, Use.PARTITION,
                        KafkaConstants.OVERRIDE_TIMESTAMP, Use.TIMESTAMP)
                .forEach((name, use) -> KafkaHeaderNames.both(name).forEach(each -> uses.put(each, use)));
    }

    /** The topic for messages that name none. */
    String topic(Exchange exchange) {
        String override = exchange.getMessage().getHeader(KafkaConstants.OVERRIDE_TOPIC, String.class);
        return override == null ? topic : override;
    }

    ProducerRecord<Object, Object> record(Exchange exchange, BatchMessage message, String topicOfBatch) {
        Fields fields = new Fields(exchange, topicOfBatch);
        message.forEachHeader(fields::header);
        return new ProducerRecord<>(
                fields.topic,
                options.getPartitionKey() != null ? options.getPartitionKey() : fields.partition,
                fields.timestamp,
                key(exchange, fields.key),
                value(exchange, message.getBody()),
                fields.headers);
    }

    private Object key(Exchange exchange, Object ofMessage) {
        Object key = ObjectHelper.isEmpty(options.getKey()) ? ofMessage : options.getKey();
        boolean isText =
                key instanceof String && KafkaConstants.KAFKA_DEFAULT_SERIALIZER.equals(options.getKeySerializer());
        return key == null || isText
                ? key
                : ProducerUtil.tryConvertToSerializedType(exchange, key, options.getKeySerializer());
    }

    private Object value(Exchange exchange, Object body) {
        if (sendsBytes && (body == null || body instanceof byte[])) {
            return body;
        }
        if (sendsBytes && body instanceof String text && !AnswerCharset.isOfTheRoute(exchange)) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        return ProducerUtil.tryConvertToSerializedType(exchange, body, options.getValueSerializer());
    }

    private Use use(String name, Object value, Exchange exchange) {
        Use use = uses.get(name);
        if (use == null) {
            use = filter.applyFilterToCamelHeaders(name, value, exchange) ? Use.NOT_SENT : Use.SENT;
            if (namesDecide && uses.size() < MAX_NAMES) {
                uses.put(name, use);
            }
        }
        return use;
    }

    /** Collects the parts of a record from the headers of a message. */
    private final class Fields {
        private final Exchange exchange;
        private final List<Header> headers = new ArrayList<>(USUAL_HEADERS);
        private String topic;
        private Object key;
        private Integer partition;
        private Long timestamp;

        private Fields(Exchange exchange, String topic) {
            this.exchange = exchange;
            this.topic = topic;
        }

        private void header(String name, Object value) {
            switch (use(name, value, exchange)) {
                case KEY -> key = value;
                case TOPIC -> topic = value == null ? topic : value.toString();
                case PARTITION -> partition = converted(Integer.class, value);
                case TIMESTAMP -> timestamp = converted(Long.class, value);
                case SENT -> add(name, value);
                case NOT_SENT -> {}
            }
        }

        private <T> T converted(Class<T> type, Object value) {
            return exchange.getContext().getTypeConverter().convertTo(type, exchange, value);
        }

        private void add(String name, Object value) {
            byte[] bytes = options.getHeaderSerializer().serialize(name, value);
            if (bytes != null) {
                headers.add(new RecordHeader(name, bytes));
            }
        }
    }
}
