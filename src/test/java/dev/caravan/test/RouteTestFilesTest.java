package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.routes.destination.Sent;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/** Which files are loaded, how a test starts and ends, and what is reported if that fails. */
class RouteTestFilesTest {
    @TempDir
    private Path folder;

    @Test
    void files_of_all_kinds_are_tested_with_what_is_in_their_folder() throws IOException {
        Path routes = Files.createDirectories(folder.resolve("routes"));
        Files.writeString(
                routes.resolve("own.properties"), "own.topic = from-properties\nown.url = {{env:NOT_SET_AT_ALL}}\n");
        Files.writeString(
                folder.resolve("application.properties"), "caravan.retention = 7d\nother.topic = {{env:X:beside}}\n");
        Path yaml = Files.writeString(
                routes.resolve("two.camel.yaml"), yaml("one", "{{own.topic}}") + yaml("two", "{{other.topic}}"));
        Path xml = Files.writeString(routes.resolve("other.camel.xml"), """
                <routes xmlns="http://camel.apache.org/schema/xml-io">
                  <route id="xml"><from uri="outbox:xml?types=placed"/><to uri="{{own.url}}"/></route>
                </routes>
                """);
        Path java = Files.writeString(routes.resolve("Third.java"), """
                import org.apache.camel.builder.RouteBuilder;
                public class Third extends RouteBuilder {
                    public void configure() { from("outbox:java?types=placed").routeId("java").to("kafka:java"); }
                }
                """);

        try (RouteTest tested = of(yaml)) {
            TestedMessage placed = tested.send(message("placed").payload("1"));
            assertThat(placed.assertDelivered().sent())
                    .extracting(Sent::destination)
                    .containsExactly("from-properties", "beside");
            assertThat(placed.by("one").kafka().topic()).isEqualTo("from-properties");
        }
        try (RouteTest tested = RouteTest.of(xml.toString(), java.toString())
                .property("own.url", "http://localhost/in")
                .build()) {
            tested.answer("localhost", status(404));
            TestedMessage placed = tested.send(message("placed"));
            placed.by("xml").assertDead();
            placed.by("java").assertDelivered();
        }
        try (RouteTest tested = RouteTest.of(routes.toString())
                .property("own.url", "http://localhost/in")
                .build()) {
            assertThat(tested.send(message("placed")).assertDelivered().sent()).hasSize(4);
        }
        assertThatThrownBy(() -> RouteTest.of(xml.toString()).build().send(message("placed")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("own.url")
                .hasMessageContaining("NOT_SET_AT_ALL");
    }

    @Test
    @Tag("long")
    void a_route_that_does_not_end_fails_the_test_with_a_reason() {
        try (RouteTest tested = RouteTest.of(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from("outbox:slow").routeId("slow").to("kafka:before").delay(600_000);
                    }
                })
                .limit(Duration.ofMillis(50))
                .build()) {
            assertThatThrownBy(() -> tested.send(message("placed")))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("Route slow had not ended", "50 ms", "limit", "kafka before");
        }
    }

    @Test
    void routes_that_cannot_start_are_reported() throws IOException {
        assertThatThrownBy(() -> of(route("twitter", "twitter:ada")).send(message("placed")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("twitter.camel.yaml:8");
        assertThatThrownBy(() -> RouteTest.of(new RouteBuilder() {
                            @Override
                            public void configure() {
                                from("direct:in").to("kafka:out");
                            }
                        })
                        .build()
                        .send(message("placed")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No route of the route builders reads outbox:");
        assertThatThrownBy(() -> RouteTest.of(new RouteBuilder() {
                            @Override
                            public void configure() {
                                from("outbox:taps").wireTap("kafka:copies").to("kafka:out");
                            }
                        })
                        .build()
                        .send(message("placed")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sends a copy that the route does not wait for");
        assertThatThrownBy(() -> RouteTest.of(new RouteBuilder() {
                            @Override
                            public void configure() {
                                from("outbox:groups")
                                        .aggregate(header("type"), new GroupedBodyAggregationStrategy())
                                        .completionSize(2)
                                        .to("kafka:out");
                            }
                        })
                        .build()
                        .send(message("placed")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("aggregate");
    }

    @Test
    void one_object_is_refused_to_two_tests_at_the_same_time() throws IOException {
        ExtensionContext one = contextOf("one");
        ExtensionContext two = contextOf("two");
        try (RouteTest tested = of(route("one", "kafka:out"))) {
            tested.beforeEach(one);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> tested.beforeEach(two)).hasMessageContaining("ExecutionMode.SAME_THREAD");
                tested.afterEach(two); // JUnit calls it, although the test was refused
            }
            tested.afterEach(one);
            tested.beforeEach(two);
            tested.send(message("placed")).assertDelivered();
        }
    }

    private static ExtensionContext contextOf(String test) {
        return (ExtensionContext) Proxy.newProxyInstance(
                RouteTestFilesTest.class.getClassLoader(),
                new Class<?>[] {ExtensionContext.class},
                (proxy, method, values) -> method.getName().equals("getUniqueId") ? test : null);
    }

    @Test
    void messages_of_a_file_are_read() throws IOException {
        Path file = Files.writeString(folder.resolve("order.json"), """
                {"aggregateType": "order", "aggregateId": "7", "type": "placed", "payload": {"total": 7.50}, "headers": {"tenant": "a", "price": 7.50}}
                {"aggregateType": "order", "aggregateId": "8", "type": "placed", "payloadBase64": "AAE="}
                """);

        List<TestMessage> messages = TestMessage.read(file.toString());

        try (RouteTest tested = of(route("reads", "kafka:out"))) {
            TestedMessage first = tested.send(messages.get(0));
            assertThat(first.kafka().text()).isEqualTo("{\"total\": 7.50}");
            assertThat(first.kafka().header("tenant")).contains("a");
            assertThat(first.kafka().header("price")).contains("7.50");
            assertThat(tested.send(messages.get(1)).kafka().body().array()).containsExactly(0, 1);
        }
        Files.writeString(file, "{\"type\": 1}");
        assertThatThrownBy(() -> TestMessage.read(file.toString()))
                .hasMessageContaining("order.json")
                .hasMessageContaining("message 1");
    }

    @Test
    @Tag("long")
    void several_objects_run_at_the_same_time() throws IOException {
        Path file = route("one", "kafka:out");
        List<CompletableFuture<Integer>> tests = IntStream.range(0, 4)
                .mapToObj(test -> CompletableFuture.supplyAsync(() -> {
                    try (RouteTest tested = of(file)) {
                        for (int i = 0; i < 50; i++) {
                            tested.send(message("placed").payload(Integer.toString(test)))
                                    .assertDelivered();
                        }
                        return (int) tested.sentTo("out").stream()
                                .filter(sent -> sent.text().equals(Integer.toString(test)))
                                .count();
                    }
                }))
                .toList();

        assertThat(tests)
                .allSatisfy(test -> assertThat(test.get(60, TimeUnit.SECONDS)).isEqualTo(50));
    }

    private static RouteTest of(Path file) {
        return RouteTest.of(file.toString())
                .property("own.url", "http://localhost/in")
                .build();
    }

    private Path route(String name, String to) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".camel.yaml"),
                yaml(name, to.replace("kafka:", "")).replace("kafka:twitter", "twitter"));
    }

    private static String yaml(String name, String topic) {
        return """
                - route:
                    id: %s
                    from:
                      uri: outbox:%s
                      parameters: {types: placed}
                      steps:
                        - log: "received"
                        - to: "kafka:%s"
                """.formatted(name, name, topic);
    }
}
