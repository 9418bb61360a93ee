package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.headers.EventHeaders;
import dev.caravan.camel.headers.OutboxConstants;
import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.kafka.KafkaProducer;
import org.apache.camel.component.kafka.serde.KafkaHeaderSerializer;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.apache.camel.support.DefaultHeaderFilterStrategy;
import org.apache.camel.support.DefaultMessage;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordFactoryTest {
    private static final List<String> NAMES = List.of(
            "x",
            "größe",
            "ce-id",
            "ce_id",
            "kafka.KEY",
            "KAFKA.key",
            "kafka.override_topic",
            "kafka.PARTITION_KEY",
            "kafka.OVERRIDE_TIMESTAMP",
            "kafka.RECORD_META",
            "kafka.OTHER",
            "camelOther",
            "org.apache.camel.x",
            "mail.smtp.host",
            "org.apache.kafka.clients.producer.RecordMetadata");

    private final DefaultCamelContext context = new DefaultCamelContext();
    private final List<MockProducer<Object, Object>> clients = new ArrayList<>();

    @BeforeEach
    void start() {
        context.getCamelContextExtension().registerEndpointCallback(new KafkaRecords());
        context.getRegistry().bind("own", new DefaultHeaderFilterStrategy() {
            @Override
            protected boolean extendedFilter(Direction direction, String name, Object value, Exchange exchange) {
                return "a".equals(value);
            }
        });
        KafkaHeaderSerializer asText = (name, value) ->
                value instanceof byte[] ? null : String.valueOf(value).getBytes(StandardCharsets.UTF_8);
        context.getRegistry().bind("asText", asText);
        context.getComponent("kafka", KafkaComponent.class).setKafkaClientFactory(new DefaultKafkaClientFactory() {
            @Override
            public Producer<Object, Object> getProducer(Properties settings) {
                Serializer<Object> none = (topic, value) -> new byte[0];
                clients.add(new MockProducer<>(true, null, none, none));
                return clients.get(clients.size() - 1);
            }
        });
        context.start();
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "&key=fixed",
                "&partitionKey=3",
                "&keySerializer=org.apache.kafka.common.serialization.ByteArraySerializer",
                "&keySerializer=org.apache.kafka.common.serialization.LongSerializer",
                "&valueSerializer=org.apache.kafka.common.serialization.BytesSerializer",
                "&headerFilterStrategy=#own",
                "&headerSerializer=#asText"
            })
    void records_are_those_of_camels_own_producer(String options) {
        KafkaEndpoint endpoint = endpoint(options);
        CamelsProducer camels = new CamelsProducer(endpoint);
        RecordFactory own = new RecordFactory(endpoint);

        for (int seed = 0; seed < 500; seed++) {
            Exchange one = exchange(new Random(seed));
            Exchange two = exchange(new Random(seed));

            assertThat(text(two, () -> own.record(two, two.getMessage())))
                    .describedAs("seed %d", seed)
                    .isEqualTo(text(one, () -> camels.record(one)));
        }
    }

    @Test
    void a_header_without_a_value_does_not_decide_about_later_ones() {
        RecordFactory records = new RecordFactory(endpoint(""));

        record(records, new DefaultExchange(context), Map.of(), "tenant");
        ProducerRecord<Object, Object> record = record(records, new DefaultExchange(context), Map.of("tenant", "blue"));

        assertThat(record.headers().lastHeader("tenant").value()).asString().isEqualTo("blue");
    }

    @Test
    void an_event_does_not_decide_about_messages_that_are_none() {
        RecordFactory records = new RecordFactory(endpoint(""));
        Exchange event = new DefaultExchange(context);
        EventHeaders.clear(event);

        assertThat(record(records, event, Map.of("ce-id", "1")).headers()).isEmpty();
        assertThat(record(records, new DefaultExchange(context), Map.of("ce-id", "2"))
                        .headers())
                .hasSize(1);
        assertThat(record(records, event, Map.of("ce-id", "3")).headers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&synchronous=true"})
    void each_element_of_a_list_may_have_either_name(String options) throws Exception {
        BatchMessage batched = new BatchMessage(context, "k", header -> header.accept("kafka.KEY", "k"));
        batched.setHeader("CamelKafkaKey", "key of batch");
        batched.setHeader("CamelKafkaOverrideTopic", "topic-of-batch");
        Message plain = new DefaultMessage(context);
        plain.setHeader("kafka.KEY", "older");
        plain.setHeader("kafka.OVERRIDE_TOPIC", "topic-of-older");
        send(options, exchange -> MessageBatch.begin(exchange, List.of(batched)));
        send(options, exchange -> exchange.getMessage().setBody(List.of(plain)));
        send(options, exchange -> {
            exchange.getMessage().setHeader("CamelKafkaOverrideTopic", "topic-of-list");
            exchange.getMessage().setHeader("CamelKafkaKey", "of each");
            exchange.getMessage().setHeader("CamelKafkaPartitionKey", 3);
            exchange.getMessage().setHeader("CamelKafkaOverrideTimestamp", 1_000L);
            exchange.getMessage().setHeader("x", "of each");
            exchange.getMessage().setBody(List.of("a", "b"));
        });

        List<ProducerRecord<Object, Object>> records =
                clients.stream().flatMap(client -> client.history().stream()).toList();
        assertThat(records)
                .extracting(record -> record.topic() + ", " + record.key())
                .containsExactly(
                        "topic-of-batch, key of batch",
                        "topic-of-older, older",
                        "topic-of-list, of each",
                        "topic-of-list, of each");
        assertThat(records.subList(2, 4))
                .extracting(record -> record.partition() + ", " + record.timestamp())
                .containsOnly("3, 1000");
        assertThat(records.get(3).headers()).extracting(Header::key).containsExactly("x");
        assertThat(clients).extracting(MockProducer::commitCount).containsOnly(options.contains("trans") ? 1L : 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&synchronous=true"})
    void a_value_of_json_is_sent_as_json(String options) throws Exception {
        Map<String, Object> order = new TreeMap<>(Map.of("a", new BigDecimal("1.10"), "b", true));
        for (Object body : List.of(order, List.of(order, List.of(1, "x"), "text"), 5, false, new BigDecimal("1.10"))) {
            send(options, exchange -> exchange.getMessage().setBody(body));
        }
        send(options + "&useIterator=false", exchange -> exchange.getMessage().setBody(List.of("1, 2")));

        assertThat(clients.stream().flatMap(client -> client.history().stream()))
                .extracting(record -> new String((byte[]) record.value(), StandardCharsets.UTF_8))
                .containsExactly(
                        "{\"a\":1.10,\"b\":true}",
                        "{\"a\":1.10,\"b\":true}",
                        "[1,\"x\"]",
                        "text",
                        "5",
                        "false",
                        "1.10",
                        "[\"1, 2\"]");
    }

    @Test
    void a_tree_of_json_that_is_no_list_is_one_record() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        for (String json : List.of("{\"a\":1,\"b\":[2,3]}", "{}", "5", "[1,{\"b\":2}]")) {
            JsonNode tree = mapper.readTree(json);
            send("", exchange -> exchange.getMessage().setBody(tree));
        }

        assertThat(clients.stream().flatMap(client -> client.history().stream()))
                .extracting(record -> new String((byte[]) record.value(), StandardCharsets.UTF_8))
                .containsExactly("{\"a\":1,\"b\":[2,3]}", "{}", "5", "1", "{\"b\":2}");
    }

    @Test
    void what_is_neither_text_bytes_nor_json_is_refused() {
        assertThatThrownBy(() -> send("", exchange -> exchange.getMessage().setBody(new UUID(1, 2))))
                .rootCause()
                .hasMessageContaining("The body is of the class java.util.UUID")
                .hasMessageContaining("marshal: json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&synchronous=true"})
    void a_list_without_records_and_one_with_null_are_refused(String options) {
        assertThatThrownBy(() -> send(options, exchange -> exchange.getMessage().setBody(List.of())))
                .rootCause()
                .isInstanceOf(FieldException.class)
                .hasMessageStartingWith("The body is an empty list");
        assertThatThrownBy(() -> send(options, exchange -> exchange.getMessage().setBody(Arrays.asList("a", null))))
                .rootCause()
                .isInstanceOf(FieldException.class)
                .hasMessageStartingWith("An element of the list is null");
        assertThat(clients).allMatch(client -> client.history().isEmpty()); // no part of a list whose message is dead
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&synchronous=true"})
    void a_topic_that_only_a_message_names_is_no_outage(String options) {
        assertThatThrownBy(() -> send(options, exchange -> {
                    exchange.getMessage().setHeader("CamelKafkaOverrideTopic", "absent");
                    clients.get(0).sendException =
                            new UnknownTopicOrPartitionException(SharedProducer.ABSENT + "absent");
                }))
                .rootCause()
                .isExactlyInstanceOf(KafkaException.class);
    }

    @Test
    void a_topic_that_cannot_be_makes_only_its_message_dead() throws Exception {
        BatchMessage bad = new BatchMessage(context, "a", header -> {});
        bad.setHeader("CamelKafkaOverrideTopic", "a/b");
        BatchMessage good = new BatchMessage(context, "b", header -> {});
        AtomicReference<MessageBatch> batch = new AtomicReference<>();
        send("", exchange -> {
            MessageBatch.begin(exchange, List.of(bad, good));
            batch.set(exchange.getMessage().getBody(MessageBatch.class));
        });

        assertThat(clients.get(0).history()).extracting(ProducerRecord::topic).containsExactly("usual");
        assertThat(batch.get().remaining().messages()).containsExactly(good);
        assertThatThrownBy(() -> send(
                        "", exchange -> exchange.getMessage().setHeader("CamelKafkaOverrideTopic", "t".repeat(250))))
                .rootCause()
                .isInstanceOf(FieldException.class);
    }

    @Test
    void topics_and_times_are_those_of_one_step_also_for_a_batch() throws Exception {
        BatchMessage chosen = new BatchMessage(context, "a", header -> {});
        chosen.setHeader("CamelKafkaOverrideTopic", "chosen");
        chosen.setHeader("kafka.OVERRIDE_TIMESTAMP", 1_000L);
        BatchMessage other = new BatchMessage(context, "b", header -> header.accept("kafka.KEY", "b"));
        context.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:two")
                        .process(exchange -> MessageBatch.begin(exchange, List.of(chosen, other)))
                        .setHeader("CamelKafkaOverrideTopic", constant("of-both"))
                        .to(new DeliveryEndpoint(context, "kafka:first?brokers=unused:9092"))
                        .to(new DeliveryEndpoint(context, "kafka:second?brokers=unused:9092"));
            }
        });

        context.createFluentProducerTemplate().to("direct:two").request();

        assertThat(clients.stream().flatMap(client -> client.history().stream()))
                .extracting(record -> record.topic() + ", " + record.key() + ", " + record.timestamp())
                .containsExactly("chosen, null, 1000", "of-both, b, null", "second, null, null", "second, b, null");
    }

    /** An error about it may have values of the message. */
    @Test
    void each_kind_of_body_records_that_its_topic_is_not_that_of_the_route() throws Exception {
        Message inner = new DefaultMessage(context);
        for (Object body : List.of("a", List.of("a"), List.of(inner))) {
            inner.setHeader("CamelKafkaOverrideTopic", "another");
            AtomicReference<Exchange> sent = new AtomicReference<>();
            send("", exchange -> {
                exchange.getMessage().setHeader("CamelKafkaOverrideTopic", "another");
                exchange.getMessage().setBody(body);
                sent.set(exchange);
            });
            assertThat(sent.get().getProperty(OutboxConstants.OTHER_TOPIC)).isEqualTo(true);
        }
    }

    private void send(String options, Consumer<Exchange> prepare) throws Exception {
        String from = "direct:" + UUID.randomUUID();
        context.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from(from)
                        .process(prepare::accept)
                        .to(new DeliveryEndpoint(context, "kafka:usual?brokers=unused:9092" + options));
            }
        });
        context.createFluentProducerTemplate().to(from).request();
    }

    private static ProducerRecord<Object, Object> record(
            RecordFactory records, Exchange exchange, Map<String, Object> headers, String... withoutValue) {
        exchange.getMessage().removeHeaders("*");
        Stream.of(withoutValue).forEach(name -> exchange.getMessage().setHeader(name, null));
        headers.forEach(exchange.getMessage()::setHeader);
        return records.record(exchange, exchange.getMessage());
    }

    private KafkaEndpoint endpoint(String options) {
        try {
            return DeliveryEndpoint.of(context, "kafka:usual?brokers=unused:9092" + options);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class CamelsProducer extends KafkaProducer {
        CamelsProducer(KafkaEndpoint endpoint) {
            super(endpoint);
        }

        ProducerRecord<Object, Object> record(Exchange exchange) {
            return createRecord(exchange, exchange.getMessage());
        }
    }

    /** A record and the headers that the message has afterwards. */
    private static String text(Exchange exchange, Supplier<ProducerRecord<Object, Object>> record) {
        try {
            ProducerRecord<Object, Object> made = record.get();
            return Stream.of(made.topic(), made.partition(), made.timestamp(), shown(made.key()), shown(made.value()))
                            .map(String::valueOf)
                            .toList()
                    + Stream.of(made.headers().toArray())
                            .map(header -> header.key() + Arrays.toString(header.value()))
                            .toList()
                            .toString()
                    + exchange.getMessage().getHeaders().keySet();
        } catch (RuntimeException e) {
            return e.getClass().getName();
        }
    }

    private static String shown(Object part) {
        return part instanceof byte[] bytes ? Arrays.toString(bytes) : part == null ? "" : part.getClass() + " " + part;
    }

    private Exchange exchange(Random random) {
        Exchange exchange = new DefaultExchange(context);
        IntStream.range(0, random.nextInt(6)).forEach(any -> exchange.getMessage()
                .setHeader(NAMES.get(random.nextInt(NAMES.size())), value(random)));
        if (random.nextInt(10) == 0) {
            exchange.setProperty(Exchange.CHARSET_NAME, "ISO-8859-1");
        }
        if (random.nextInt(10) == 0) {
            EventHeaders.clear(exchange);
            EventHeaders.set(exchange, "id", "1");
        }
        exchange.getMessage().setBody(body(random));
        return exchange;
    }

    private static Object value(Random random) {
        return switch (random.nextInt(13)) {
            case 0 -> null;
            case 1 -> "a";
            case 2 -> "7";
            case 3 -> 5L;
            case 4 -> 6;
            case 5 -> true;
            case 6 -> 1.5;
            case 7 -> "12".getBytes(StandardCharsets.UTF_8);
            case 8 -> new TextNode("9");
            case 9 -> List.of("a", "b");
            case 10 -> new UUID(1, 2);
            case 11 -> new Date(5);
            default -> "";
        };
    }

    private static Object body(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> "text ü\ud800";
            case 1 -> new byte[] {1, -1};
            case 2 -> new ByteArrayInputStream(new byte[] {1, -1});
            case 3 -> new TextNode("json");
            case 4 -> null;
            default -> "";
        };
    }
}
