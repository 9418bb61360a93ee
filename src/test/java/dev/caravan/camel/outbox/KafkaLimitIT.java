package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.KafkaTopics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics that accept less than the producer's batch size. A client that splits refused batches to that size would never succeed. */
class KafkaLimitIT {
    private static final Random RANDOM = new Random(1);

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void messages_below_the_limit_of_a_topic_arrive_once_and_one_above_it_is_dead() throws Exception {
        arriveExceptTheOneAboveTheLimit("?pipelined=true", "");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"?batching=true", "?concurrency=100", "?pipelined=true&lanes=3"})
    void the_limit_of_a_topic_is_observed_however_messages_are_sent(String options) throws Exception {
        arriveExceptTheOneAboveTheLimit(options, "");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"&compressionCodec=gzip", "&lingerMs=50", "&enableIdempotence=false", "&synchronous=true"})
    void the_limit_of_a_topic_is_observed_with_other_options_of_the_producer(String options) throws Exception {
        arriveExceptTheOneAboveTheLimit("?pipelined=true", options);
    }

    private void arriveExceptTheOneAboveTheLimit(String options, String ofKafka) throws Exception {
        String topic = TestKafka.newTopic(1, "10000");
        insert(200, 2_000);
        long large = outbox.insert("k0", "order.created", payload(20_000));
        insert(200, 2_000);

        try (TestRelay relay = relay("outbox:sent" + options, topic, ofKafka)) {
            outbox.awaitPassed("sent", 401);
            eventually(() -> assertThat(outbox.dead("sent")).containsExactly(large));
        }

        assertThat(ids(topic)).hasSize(400).doesNotHaveDuplicates();
        assertThat(withoutRepeats(ids(topic))).isEqualTo(inOrderOfKeys());
    }

    @Test
    void messages_arrive_although_the_limit_of_the_topic_is_lowered_while_the_relay_runs() throws Exception {
        loweredWhileRunning("?pipelined=true");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"?batching=true", "?concurrency=100"})
    void the_lowered_limit_is_observed_however_messages_are_sent(String options) throws Exception {
        loweredWhileRunning(options);
    }

    private void loweredWhileRunning(String options) throws Exception {
        String topic = TestKafka.newTopic(1, "100000");
        insert(20, 2_000);

        try (TestRelay relay = relay("outbox:sent" + options, topic, "")) {
            outbox.awaitPassed("sent", 20);
            TestKafka.limit(topic, "10000");
            insert(400, 2_000);
            outbox.awaitPassed("sent", 420);
        }

        assertThat(outbox.waiting("sent")).isEmpty();
        assertThat(outbox.dead("sent")).isEmpty();
        assertThat(withoutRepeats(ids(topic))).isEqualTo(inOrderOfKeys());
    }

    @Test
    void a_batch_size_above_the_limit_of_the_brokers_is_lowered() throws Exception {
        String topic = TestKafka.newName();
        new KafkaTopics(TestKafka.brokers()).create(topic, 1, Map.of());
        insert(40, 100_000);

        try (TestRelay relay = relay(
                "outbox:sent?pipelined=true", topic, "&producerBatchSize=4000000&maxRequestSize=4000000&lingerMs=50")) {
            outbox.awaitPassed("sent", 40);
        }

        assertThat(ids(topic)).hasSize(40).doesNotHaveDuplicates();
    }

    @Tag("long")
    @Test
    void a_second_topic_with_a_lower_limit_is_observed_too() throws Exception {
        String wide = TestKafka.newTopic(1, "100000");
        String narrow = TestKafka.newTopic(1, "10000");
        insert(400, 2_000);

        try (TestRelay relay =
                TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:sent?pipelined=true")
                        .choice()
                        .when(routes.simple("${header.aggregate-id} == 'k1'"))
                        .setHeader("kafka.OVERRIDE_TOPIC", routes.constant(narrow))
                        .end()
                        .to(kafka(wide)))) {
            outbox.awaitPassed("sent", 400);
        }

        List<String> all = new ArrayList<>(ids(wide));
        all.addAll(ids(narrow));
        assertThat(all).hasSize(400).doesNotHaveDuplicates();
    }

    private TestRelay relay(String from, String topic, String options) throws Exception {
        return TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from(from).to(kafka(topic) + options));
    }

    /** By key: the order in which a receiver finds the messages if it takes the last one of those that are repeated. */
    private Map<String, List<String>> withoutRepeats(List<String> ids) {
        Map<String, String> keys = new HashMap<>();
        inOrderOfKeys().forEach((key, messages) -> messages.forEach(id -> keys.put(id, key)));
        List<String> last = new ArrayList<>(new LinkedHashSet<>(reversed(ids)));
        return reversed(last).stream().collect(Collectors.groupingBy(keys::get));
    }

    private Map<String, List<String>> inOrderOfKeys() {
        return outbox
                .jdbc()
                .queryForList(
                        "select aggregate_id || ' ' || message_id from outbox where id not in"
                                + " (select id from outbox_dead_letter) order by id",
                        String.class)
                .stream()
                .map(message -> message.split(" "))
                .collect(Collectors.groupingBy(
                        message -> message[0], Collectors.mapping(message -> message[1], Collectors.toList())));
    }

    private static List<String> reversed(List<String> list) {
        List<String> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    private static String kafka(String topic) {
        return "kafka:" + topic + "?brokers=" + TestKafka.brokers();
    }

    private void insert(int count, int bytes) throws Exception {
        for (int i = 0; i < count; i++) {
            outbox.insert("k" + i % 5, "order.created", payload(bytes));
        }
    }

    /** Text that cannot be compressed below half of its size. */
    private static String payload(int bytes) {
        return RANDOM.ints(bytes, 'a', 'z' + 1)
                .mapToObj(Character::toString)
                .collect(Collectors.joining("", "\"", "\""));
    }

    /** The message ids of all records of a topic with one partition. */
    private static List<String> ids(String topic) {
        return TestKafka.records(topic).stream()
                .map(each -> new String(each.headers().lastHeader("id").value()))
                .toList();
    }
}
