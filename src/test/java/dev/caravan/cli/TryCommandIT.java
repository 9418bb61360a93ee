package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ShortLived;
import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code try} with messages of a real outbox, and with real destinations. It never changes a table of Caravan. */
class TryCommandIT {
    @TempDir
    private Path folder;

    private TestOutbox outbox;
    private Path route;
    private String before;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
        outbox.execute("create table seen (id text, total numeric check (total < 1000))");
        outbox.insert("a", "order.placed", "{\"total\": 7.5}");
        outbox.insert("a", "invoice.sent", "{}");
        outbox.insert("a", "order.placed", "{\"total\": 5000}");
        before = tables();
    }

    @AfterEach
    void close() throws Exception {
        assertThat(tables()).isEqualTo(before);
        outbox.close();
    }

    /** The content of all tables of Caravan, and the next id. */
    private String tables() {
        List<String> names = outbox.jdbc()
                .queryForList(
                        "select tablename from pg_tables where schemaname = 'public' and tablename like 'outbox%' order by 1",
                        String.class);
        StringBuilder all = new StringBuilder(outbox.text("select last_value::text from outbox_id_seq"));
        for (String name : names) {
            all.append('\n')
                    .append(name)
                    .append(' ')
                    .append(outbox.text(
                            "select coalesce(string_agg(t::text, ';' order by t::text), '') from " + name + " t"));
        }
        return all.toString();
    }

    @Test
    void a_message_of_the_outbox_is_only_read() throws Exception {
        route("to: 'http://127.0.0.1:1/orders'");

        tried("--from-outbox", "1")
                .assertDone(
                        "POST http://127.0.0.1:1/orders",
                        "{\"total\": 7.5}",
                        "Nothing was sent or written.",
                        outbox.text("select message_id::text from outbox where id = 1"));
    }

    @Test
    void a_message_that_no_route_reads_or_that_does_not_exist_is_reported() throws Exception {
        route("to: 'http://127.0.0.1:1/orders'");

        CommandRun other = tried("--from-outbox", "2");
        CommandRun none = tried("--from-outbox", "77");
        CommandRun unavailable = CommandRun.of(
                "try",
                route.toString(),
                "--from-outbox",
                "1",
                "--config",
                CommandRun.config(folder, "jdbc:postgresql://localhost:1/x", "postgres", "caravan.routes=" + folder));

        assertThat(other.exit()).isEqualTo(5);
        assertThat(other.out()).contains("No route of the file reads messages of type invoice.sent");
        none.assertWrongUse("Message 77 is not in the outbox, waiting, dead or discarded.");
        unavailable.assertFailed("localhost:1");
    }

    @Test
    @Tag("long")
    void nothing_is_said_to_be_sent_if_no_route_reads_the_message() throws Exception {
        route("to: 'http://127.0.0.1:1/orders'");

        assertThat(tried("--from-outbox", "2", "--send").out())
                .contains("No route of the file reads", "Nothing was sent or written.")
                .doesNotContain("were sent");
    }

    @Test
    @Tag("long")
    void a_record_is_really_sent_to_kafka() throws Exception {
        String topic = TestKafka.newTopic(1);
        route("to: 'kafka:" + topic + "'", "camel.component.kafka.brokers=" + TestKafka.brokers());

        tried("--from-outbox", "1", "--send")
                .assertDone("kafka  " + topic, "The messages were sent to their destinations.");
        assertThat(records(topic)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("a");
            assertThat(record.value()).isEqualTo("{\"total\": 7.5}");
        });
    }

    @Test
    void a_statement_is_really_executed_in_the_database() throws Exception {
        route("to: \"sql:insert into seen values (:#${header.id}, (cast(:#${body} as jsonb) ->> 'total')::numeric)\"");

        CommandRun run = tried("--from-outbox", "1", "--send");
        CommandRun refused = tried("--from-outbox", "3", "--send");

        assertThat(run.exit()).as(run.err() + run.out()).isZero();
        assertThat(outbox.text("select total::text from seen")).isEqualTo("7.5");
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.out())
                .contains("violates check constraint \"seen_total_check\"", "retried: the failure counts");
    }

    @Test
    @Tag("long")
    void a_mail_is_really_sent() throws Exception {
        List<ReceivedMail> mails = new CopyOnWriteArrayList<>();
        try (MailServer server = MailServer.start(mails::add)) {
            route("to: '" + server.url() + "?to=guest@example.com&from=shop@example.com&subject=Order'");

            CommandRun run = tried("--from-outbox", "1", "--send");

            assertThat(run.exit()).as(run.err()).isZero();
            eventually(() -> assertThat(mails).hasSize(1));
            assertThat(mails.get(0).recipient()).isEqualTo("guest@example.com");
            assertThat(run.out()).contains("smtp://", "answer     200");
        }
        CommandRun refused = tried("--from-outbox", "1", "--send");
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.out()).contains("Couldn't connect to host");
    }

    /** A name in {{…}} without a setting is looked up in the environment. */
    @Test
    void secrets_that_a_route_reads_from_the_environment_are_hidden() throws Exception {
        route("""
                setBody:
                            expression:
                              simple:
                                expression: "{{envonly.apikey}} {{env:DIRECT_SECRET}} ${env:SIMPLE_SECRET} ${sysenv.SIMPLE_SECRET} {{env:PLAIN_NAME}}"
                        - to: 'http://127.0.0.1:1/orders?httpMethod=POST'
                """.strip());
        ProcessBuilder trying = new ProcessBuilder(ShortLived.java(
                        List.of(),
                        Caravan.class,
                        arguments("--from-outbox", "1").toArray(String[]::new)))
                .redirectErrorStream(true);
        trying.environment()
                .putAll(Map.of(
                        "ENVONLY_APIKEY", "tapir-ENVONLY-3321",
                        "DIRECT_SECRET", "okapi-DIRECT-5512",
                        "SIMPLE_SECRET", "ibex-SIMPLE-4419",
                        "PLAIN_NAME", "zebra"));

        String printed = new String(trying.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(printed).contains("••• ••• ••• ••• zebra").doesNotContain("tapir", "okapi", "ibex");
    }

    @Test
    @Tag("long")
    void an_interrupted_send_says_that_the_message_may_have_arrived() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            route("to: 'http://127.0.0.1:" + silent.getLocalPort() + "/orders'");
            Process sending = new ProcessBuilder(ShortLived.java(
                            List.of(),
                            Caravan.class,
                            arguments("--from-outbox", "1", "--send").toArray(String[]::new)))
                    .redirectErrorStream(true)
                    .start();
            try (Socket request = silent.accept()) {
                assertThat(request.getInputStream().read()).isEqualTo('P');

                sending.toHandle().destroy();

                assertThat(sending.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(sending.exitValue()).isEqualTo(143);
                assertThat(new String(sending.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .contains("Interrupted while route orders was sending message", "it may have arrived");
            } finally {
                sending.destroyForcibly();
            }
        }
    }

    private void route(String step, String... settings) throws IOException {
        route = folder.resolve("orders.camel.yaml");
        Files.writeString(route, """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      parameters:
                        types: "order.*"
                      steps:
                        - %s
                """.formatted(step));
        List<String> lines = new ArrayList<>(List.of(settings));
        lines.add("caravan.routes=" + folder);
        CommandRun.config(folder, outbox, lines.toArray(String[]::new));
    }

    private CommandRun tried(String... more) {
        return CommandRun.of(arguments(more).toArray(String[]::new));
    }

    private List<String> arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "try",
                route.toString(),
                "--config",
                folder.resolve("test.properties").toString()));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static List<ConsumerRecord<String, String>> records(String topic) throws Exception {
        eventually(() -> assertThat(TestKafka.records(topic)).isNotEmpty());
        return TestKafka.records(topic);
    }
}
