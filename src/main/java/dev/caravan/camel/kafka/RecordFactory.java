package dev.caravan.camel.kafka;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.AnswerCharset;
import dev.caravan.camel.headers.EventHeaders;
import dev.caravan.camel.headers.KafkaHeaderNames;
import dev.caravan.camel.headers.NoControlHeaders;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.SentBody;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaHeaderFilterStrategy;
import org.apache.camel.component.kafka.producer.support.ProducerUtil;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.util.KeyValueHolder;
import org.apache.camel.util.ObjectHelper;
import org.apache.camel.util.URISupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Converts messages to records, with the same headers and options as Camel's producer, but faster: whether a header is sent is found out once for
 * each name. A control header may have either of its names; the newer one counts. Thread-safe.
 */
final class RecordFactory {
    static final String NO_BODY = "The answer of the service has no body, and kafka: would delete the key. Set the"
            + " body before, to null for a record that deletes";

    private static final int USUAL_HEADERS = 6;
    /** Limits the cache, because rows can have any header names. */
    private static final int MAX_NAMES = 1_000;
    /** The control headers that the producer reads, by their newer name. */
    private static final Map<String, Use> CONTROL = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private static final List<String> NAMES_OF_TOPIC = KafkaHeaderNames.both(KafkaConstants.OVERRIDE_TOPIC);
    /** The control headers that apply to one step only. */
    private static final List<String> FOR_ONE_STEP = Stream.of(
                    KafkaConstants.OVERRIDE_TOPIC, KafkaConstants.OVERRIDE_TIMESTAMP)
            .flatMap(name -> KafkaHeaderNames.both(name).stream())
            .toList();

    static {
        CONTROL.put(KafkaHeaderNames.newer(KafkaConstants.KEY), Use.KEY);
        CONTROL.put(KafkaHeaderNames.newer(KafkaConstants.OVERRIDE_TOPIC), Use.TOPIC);
        CONTROL.put(KafkaHeaderNames.newer(KafkaConstants.PARTITION_KEY), Use.PARTITION);
        CONTROL.put(KafkaHeaderNames.newer(KafkaConstants.OVERRIDE_TIMESTAMP), Use.TIMESTAMP);
    }

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
    /** The use of headers, by name; not for headers whose value or exchange decides whether they are sent. */
    private final Map<String, Use> uses = new ConcurrentHashMap<>();

    RecordFactory(KafkaEndpoint endpoint) {
        options = endpoint.getConfiguration();
        topic = options.getTopic() != null
                ? options.getTopic()
                : URISupport.extractRemainderPath(URI.create(endpoint.getEndpointUri()), true);
        filter = options.getHeaderFilterStrategy();
        namesDecide = filter instanceof NoControlHeaders rules && rules.hasOnly(KafkaHeaderFilterStrategy.class);
        sendsBytes = ByteArraySerializer.class.getName().equals(options.getValueSerializer());
    }

    /** The topic for messages that name none. */
    String topic(Exchange exchange) {
        return NAMES_OF_TOPIC.stream()
                .map(name -> exchange.getMessage().getHeader(name, String.class))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(topic);
    }

    /**
     * Why a message failed. A topic that it names itself, and that does not exist, is its own failure: it is no outage for which all others wait.
     *
     * @param error null if it was sent
     */
    Exception reason(Exception error, Exchange exchange) {
        String text = error instanceof UnknownTopicOrPartitionException ? error.getMessage() : "";
        boolean isOfRoute = text.equals(SharedProducer.ABSENT + topic) && !isComputed(exchange);
        return text.startsWith(SharedProducer.ABSENT) && !isOfRoute
                ? new KafkaException(text) // not retriable, which would be an outage
                : error;
    }

    private boolean isComputed(Exchange exchange) {
        String computed = exchange.getProperty(OutboxConstants.COMPUTED, "", String.class);
        return Pattern.compile("kafka:/*" + Pattern.quote(topic) + "(?![\\w.-])")
                .matcher(computed)
                .find();
    }

    /** The record of a message that is sent alone. Its topic and time are set for this record only, not for later steps of the route. */
    ProducerRecord<Object, Object> record(Exchange exchange, Message message) {
        return record(exchange, message, topic);
    }

    /**
     * Returns a record unchanged.
     *
     * @throws FieldException if a header of the message names a topic that Kafka cannot have; Kafka would refuse it at each attempt
     */
    ProducerRecord<Object, Object> valid(ProducerRecord<Object, Object> record) {
        if (!record.topic().equals(topic) && !Topic.isValid(record.topic())) {
            throw new FieldException(
                    "The header CamelKafkaOverrideTopic is not the name of a topic that Kafka can have");
        }
        return record;
    }

    /** @throws FieldException if it has no value because an answer had no body: a record without a value deletes its key */
    private ProducerRecord<Object, Object> record(Exchange exchange, Message message, String usualTopic) {
        if (message.getBody() == null && hasEmptyAnswer(exchange, message)) {
            throw new FieldException(NO_BODY);
        }
        Fields fields = new Fields(exchange, usualTopic);
        message.getHeaders().forEach(fields::header);
        fields.forThisRecord.forEach(message::removeHeader);
        return fields.record(message.getBody());
    }

    /**
     * The records of a list, before any is sent. An element that is a message or an exchange has its own headers; any other becomes a record with
     * the key, partition, time and headers of the list.
     *
     * @throws FieldException if there is no record, which would count as delivered, or if an element is null: the record would delete its key
     */
    Iterator<KeyValueHolder<Object, ProducerRecord<Object, Object>>> records(Exchange exchange, Message list) {
        Fields ofList = new Fields(exchange, topic);
        list.getHeaders().forEach(ofList::header);
        ofList.forThisRecord.forEach(list::removeHeader);
        Iterator<?> elements = elements(list);
        if (!elements.hasNext()) {
            throw new FieldException(
                    "The body is an empty list, of which kafka: sends no record. Leave out such messages with a"
                            + " filter, or send a list as one record: with marshal: json before the step, or its option"
                            + " useIterator=false");
        }
        List<KeyValueHolder<Object, ProducerRecord<Object, Object>>> records = new ArrayList<>();
        elements.forEachRemaining(
                element -> records.add(new KeyValueHolder<>(element, valid(ofElement(element, exchange, ofList)))));
        return records.iterator();
    }

    /** To Camel, each tree of Jackson is a list: an object would become a record of each of its values. */
    private static Iterator<?> elements(Message list) {
        Object body = list.getBody();
        if (body instanceof JsonNode json && !json.isArray()) {
            return List.of(json).iterator();
        }
        return body instanceof Iterable<?> several ? several.iterator() : list.getBody(Iterator.class);
    }

    private ProducerRecord<Object, Object> ofElement(Object element, Exchange exchange, Fields ofList) {
        if (element instanceof Exchange inner) {
            return record(inner, inner.getIn(), ofList.topic);
        }
        if (element instanceof Message inner) {
            return record(exchange, inner, ofList.topic);
        }
        if (element == null) {
            throw new FieldException(
                    "An element of the list is null, of which kafka: would make a record that deletes its key."
                            + " Remove it, or send the list as one record: with marshal: json before the step, or its option"
                            + " useIterator=false");
        }
        return ofList.record(element);
    }

    /** An element of a list may be the message of another exchange, such as that of a part. */
    private static boolean hasEmptyAnswer(Exchange exchange, Message message) {
        if (message instanceof BatchMessage ofBatch) {
            return ofBatch.hasEmptyAnswer();
        }
        Exchange own = message.getExchange();
        return Part.hasEmptyAnswer(own == null || Part.of(own) == null ? exchange : own);
    }

    /** The record of a message of a batch. */
    ProducerRecord<Object, Object> ofBatch(Exchange exchange, BatchMessage message, String topicOfBatch) {
        Fields fields = new Fields(exchange, topicOfBatch);
        message.forEachHeader(fields::header);
        return valid(fields.record(message.getBody()));
    }

    /** After a batch was sent, removes the topics and times that the route set for this step. A batch that is sent again needs them. */
    void sent(Exchange exchange, MessageBatch batch) {
        NAMES_OF_TOPIC.forEach(exchange.getMessage()::removeHeader);
        batch.messages().forEach(message -> message.removeSet(FOR_ONE_STEP));
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
        if (!sendsBytes) {
            return ProducerUtil.tryConvertToSerializedType(exchange, body, options.getValueSerializer());
        }
        Object sent = SentBody.of(exchange, body);
        return sent instanceof String && AnswerCharset.isOfTheRoute(exchange)
                ? exchange.getContext().getTypeConverter().convertTo(byte[].class, exchange, sent)
                : SentBody.bytes(exchange, sent);
    }

    private Use use(String name, Object value, Exchange exchange) {
        Use use = value == null ? null : uses.get(name);
        if (use == null) {
            use = CONTROL.get(KafkaHeaderNames.newer(name));
            if (use == null) {
                use = filter.applyFilterToCamelHeaders(name, value, exchange) ? Use.NOT_SENT : Use.SENT;
            }
            // Kafka's rules leave out a header without a value, and those of an event depend on the exchange
            if (namesDecide && value != null && !EventHeaders.contain(name) && uses.size() < MAX_NAMES) {
                uses.put(name, use);
            }
        }
        return use;
    }

    /** Collects the parts of a record from the headers of a message. */
    private final class Fields {
        private final Exchange exchange;
        private final List<Header> headers = new ArrayList<>(USUAL_HEADERS);
        /** Names of the control headers that Camel's producer removes. */
        private final List<String> forThisRecord = new ArrayList<>(0);
        /** The control headers whose newer name was found. */
        private final Set<Use> newer = EnumSet.noneOf(Use.class);

        private String topic;
        private Object key;
        private Integer partition;
        private Long timestamp;

        private Fields(Exchange exchange, String topic) {
            this.exchange = exchange;
            this.topic = topic;
        }

        private void header(String name, Object value) {
            Use use = use(name, value, exchange);
            switch (use) {
                case SENT -> add(name, value);
                case NOT_SENT -> {}
                default -> control(use, name, value);
            }
        }

        private void control(Use use, String name, Object value) {
            if (use == Use.TOPIC || use == Use.TIMESTAMP) {
                forThisRecord.add(name);
            }
            if (KafkaHeaderNames.newer(name).equals(name)) {
                newer.add(use);
            } else if (newer.contains(use)) {
                return;
            }
            switch (use) {
                case KEY -> key = value;
                case TOPIC -> topic = Objects.requireNonNullElse(text(value), topic);
                case PARTITION ->
                    partition = options.getPartitionKey() == null ? converted(Integer.class, value) : null;
                default -> timestamp = converted(Long.class, value);
            }
        }

        private String text(Object value) {
            return exchange.getContext().getTypeConverter().tryConvertTo(String.class, value);
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

        private ProducerRecord<Object, Object> record(Object body) {
            if (!topic.equals(RecordFactory.this.topic)) {
                exchange.setProperty(OutboxConstants.OTHER_TOPIC, true);
            }
            return new ProducerRecord<>(
                    topic,
                    options.getPartitionKey() != null ? options.getPartitionKey() : partition,
                    timestamp,
                    key(exchange, key),
                    value(exchange, body),
                    headers);
        }
    }
}
