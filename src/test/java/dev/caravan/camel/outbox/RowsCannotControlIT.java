package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestKafka;
import dev.caravan.WrittenLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writer of a row determines what is sent, but not to where or how: in routes of users, with real destinations. */
class RowsCannotControlIT {
    private final WrittenLog log = WrittenLog.of(IgnoredHeaders.class);
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void a_header_with_a_reserved_name_is_no_header_of_the_route() throws Exception {
        List<String> reserved = List.of(
                "CamelHttpUri",
                "camelhttpuri",
                "CAMELFileName",
                "Camel",
                "org.apache.camel.any",
                "ORG.apache.Camel.any",
                "kafka.OVERRIDE_TOPIC",
                "KAFKA.partition_key",
                "kafka.KEY",
                "CamelKafkaOverrideTopic",
                "camelKafkaKey",
                "ID",
                "Type",
                "aggregate-TYPE",
                "Aggregate-Id",
                "Created-At",
                "Outbox-Id");
        String headers = reserved.stream()
                .map(name -> "\"" + name + "\": \"mine\", ")
                .collect(Collectors.joining("", "{", "\"tenant\": \"demo\"}"));
        TestRelay.start(outbox, "orders", destination);
        long id = outbox.insertWithHeaders(headers);

        eventually(() -> assertThat(destination.ids()).containsExactly(id));
        assertThat(destination.arrivals().get(0).headers())
                .containsEntry("tenant", "demo")
                .doesNotContainValue("mine");
    }

    @Test
    void what_is_ignored_is_logged_once_with_bounded_names_and_without_values() throws Exception {
        TestRelay.start(outbox, "orders?lanes=2", destination);
        outbox.insertWithHeaders(
                "{\"CamelHttpUri\": \"http://secret\", \"kafka." + "x".repeat(10_000) + "\": \"secret\"}");
        for (int i = 0; i < 20; i++) {
            outbox.insertWithHeaders("{\"ID\": \"secret\"}");
        }

        eventually(() -> assertThat(destination.ids()).hasSize(21));
        assertThat(log.lines()).hasSize(1);
        String line = log.lines().get(0);
        assertThat(line).contains("CamelHttpUri").contains("orders").doesNotContain("secret");
        assertThat(line).hasSizeLessThan(600);
    }

    @Test
    void a_row_cannot_send_a_request_elsewhere_nor_choose_its_method_and_query() throws Exception {
        try (var partner = new TestHttp(200);
                var elsewhere = new TestHttp(200);
                TestRelay relay = start(partner.url() + "/orders?httpMethod=POST")) {
            String other = elsewhere.url();
            long id = outbox.insertWithHeaders("{\"CamelHttpUri\": \"" + other + "/a\", \"camelHttpUri\": \"" + other
                    + "/b\", \"CamelHttpQuery\": \"admin=1\", \"CamelHttpPath\": \"/../x\", \"CamelHttpMethod\": \"DELETE\","
                    + " \"CamelRestHttpUri\": \"" + other + "/c\"}");

            outbox.awaitPassed("orders", id);
            assertThat(partner.requests())
                    .extracting(each -> each.method() + " " + each.uri())
                    .containsExactly("POST /orders");
            assertThat(elsewhere.requests()).isEmpty();
        }
    }

    @Test
    void a_row_cannot_choose_topic_key_partition_and_time_of_a_record() throws Exception {
        String orders = TestKafka.newTopic(3);
        String payments = TestKafka.newTopic(3);
        try (TestRelay relay = start("kafka:" + orders + "?brokers=" + TestKafka.brokers(), "orders?pipelined=true")) {
            long first = outbox.insertWithHeaders("{}");
            long last = outbox.insertWithHeaders(
                    "{\"kafka.OVERRIDE_TOPIC\": \"" + payments + "\", \"Kafka.Override_Topic\": \"" + payments + "\","
                            + " \"kafka.PARTITION_KEY\": 0, \"KAFKA.PARTITION_KEY\": 1, \"kafka.KEY\": \"mine\","
                            + " \"kafka.OVERRIDE_TIMESTAMP\": 1, \"CamelKafkaOverrideTopic\": \"" + payments + "\","
                            + " \"CamelKafkaKey\": \"mine\", \"CamelKafkaPartitionKey\": 1, \"camelkafkaoverridetimestamp\": 1,"
                            + " \"ID\": \"mine\"}");

            outbox.awaitPassed("orders", last);
            assertThat(TestKafka.records(payments)).isEmpty();
            List<ConsumerRecord<String, String>> records = TestKafka.records(orders);
            assertThat(records).hasSize((int) (last - first + 1));
            assertThat(records).extracting(ConsumerRecord::key).containsOnly("a");
            assertThat(records)
                    .extracting(ConsumerRecord::partition)
                    .containsOnly(records.get(0).partition());
            assertThat(records).extracting(ConsumerRecord::timestamp).allMatch(time -> time > 1);
            assertThat(records).allSatisfy(record -> {
                assertThat(record.headers().headers("ID")).isEmpty();
                assertThat(record.headers().headers("id")).hasSize(1);
                assertThat(new String(record.headers().lastHeader("outbox-id").value(), StandardCharsets.UTF_8))
                        .matches("[0-9]+");
            });
        }
    }

    @Test
    void an_answer_cannot_choose_topic_key_id_and_character_set_of_the_next_record() throws Exception {
        String orders = TestKafka.newTopic(1);
        String payments = TestKafka.newTopic(1);
        RawHttp answering = RawHttp.answering(
                RawHttp.OK + "kafka.OVERRIDE_TOPIC: " + payments
                        + "\r\nCamelKafkaOverrideTopic: " + payments + "\r\nCamelKafkaKey: mine"
                        + "\r\nkafka.KEY: mine\r\nid: mine\r\nOutbox-Id: mine\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .to(answering.url() + "/hook")
                .setBody(routes.constant("5 \u20ac"))
                .to("kafka:" + orders + "?brokers=" + TestKafka.brokers()));
        long id = outbox.insertWithHeaders("{}");

        outbox.awaitPassed("orders", id);
        assertThat(TestKafka.records(payments)).isEmpty();
        assertThat(TestKafka.records(orders)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("a");
            assertThat(record.value()).isEqualTo("5 \u20ac");
            assertThat(new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8))
                    .isEqualTo(outbox.text("select message_id from outbox"));
        });
    }

    @Test
    void a_row_cannot_name_the_file(@TempDir Path folder) throws Exception {
        try (TestRelay relay = start("file:" + folder.resolve("out") + "?fileName=${header.outbox-name}.json")) {
            long id = outbox.insertWithHeaders(
                    "{\"CamelFileName\": \"../escaped\", \"CamelOverruleFileName\": \"../escaped\","
                            + " \"outbox-name\": \"fine\"}");

            outbox.awaitPassed("orders", id);
            assertThat(folder.resolve("out/fine.json")).hasContent("{\"a\":1}");
            try (var files = Files.list(folder)) {
                assertThat(files).containsExactly(folder.resolve("out"));
            }
        }
    }

    @Test
    void a_row_cannot_choose_the_statement() throws Exception {
        outbox.execute("create table taken (id bigint); create table untouched (id bigint)");
        try (TestRelay relay = start("sql:insert into taken values (:#CamelOutboxPosition)?dataSource=#dataSource")) {
            long id = outbox.insertWithHeaders(
                    "{\"CamelSqlQuery\": \"insert into untouched values (1)\", \"CamelOutboxPosition\": 99}");

            outbox.awaitPassed("orders", id);
            assertThat(outbox.jdbc().queryForList("select id from taken", Long.class))
                    .containsExactly(id);
            assertThat(outbox.jdbc().queryForList("select id from untouched", Long.class))
                    .isEmpty();
        }
    }

    @Test
    void an_appended_message_takes_its_id_and_key_from_the_columns() throws Exception {
        try (TestRelay relay = start("outbox:next?type=next.step", "orders?types=order.*")) {
            outbox.insertWithHeaders("{\"ID\": \"11111111-1111-1111-1111-111111111111\", \"Aggregate-Id\": \"mine\"}");
            outbox.insertWithHeaders("{\"ID\": \"11111111-1111-1111-1111-111111111111\", \"Aggregate-Id\": \"mine\"}");

            eventually(() -> assertThat(outbox.jdbc()
                            .queryForList("select aggregate_id from outbox where type = 'next.step'", String.class))
                    .containsExactly("a", "a"));
            assertThat(outbox.number("select count(distinct message_id) from outbox where type = 'next.step'"))
                    .isEqualTo(2);
        }
    }

    private TestRelay start(String to) throws Exception {
        return start(to, "orders");
    }

    private TestRelay start(String to, String from) throws Exception {
        return TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("dataSource", outbox.pool());
            routes.from("outbox:" + from).to(to);
        });
    }
}
