package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.OutboxComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.Processor;
import org.apache.camel.model.ModelCamelContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changed files that cannot be loaded: the previous version continues. */
class LiveReloadFailuresTest extends LiveReloadFixture {
    @Test
    void a_file_that_is_not_yaml_leaves_its_route_running_until_it_is_fixed() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", route("orders", "new").replace("from:", "from: {"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("old");
        assertThat(starts).isEmpty();
        assertThat(notLoaded.names()).containsExactly("orders.camel.yaml");

        folder.write("orders", route("orders", "new"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
        assertThat(notLoaded.names()).isEmpty();
    }

    @Test
    void settings_that_changed_after_the_start_are_named_once_because_they_are_not_read() throws Exception {
        folder.write("orders", route("orders", "old"));
        Path settings = Files.writeString(path.resolve("orders.properties"), "orders.url = a");
        start();
        var log = WrittenLog.of(ChangedSettings.class);
        lookTwice();
        assertThat(log.lines()).isEmpty();

        Files.writeString(settings, "orders.url = secret");
        Files.writeString(path.resolve("new.properties"), "new.url = b");
        reload.look();
        assertThat(log.lines()).as("perhaps still being written").isEmpty();
        lookTwice();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("have changed: new.properties, orders.properties.", "Restart the relay")
                .doesNotContain("secret");

        Files.writeString(settings, "orders.url = a");
        Files.delete(path.resolve("new.properties"));
        lookTwice();
        assertThat(log.lines()).as("as at the start").hasSize(1);
    }

    @Test
    void a_route_that_cannot_start_is_replaced_by_its_previous_version_until_it_is_fixed() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", route("orders", "new").replace("direct:orders", "direct:orders?tipes=a"));
        try (var log = WrittenLog.of(FailedFiles.class)) {
            lookTwice();
            lookTwice();
            assertThat(log.lines()).singleElement().asString().contains("orders.camel.yaml", "tipes");
        }
        assertThat(answer("orders")).isEqualTo("old");

        folder.write("orders", route("orders", "new"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_java_route_that_does_not_compile_leaves_the_previous_one_running_until_it_is_fixed() throws Exception {
        Path file = path.resolve("Orders.java");
        Files.writeString(file, java("\"old\""));
        start();

        Files.writeString(file, java("missing"));
        try (var log = WrittenLog.of(FailedFiles.class)) {
            lookTwice();
            lookTwice();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(
                            "Orders.java",
                            "does not compile: line 4: cannot find symbol",
                            "previous version continues");
        }
        assertThat(answer("orders")).isEqualTo("old");
        assertThat(starts).isEmpty();

        Files.writeString(file, java("\"new\""));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
        Files.delete(file);
        folder.write("mails", route("mails", "new"));
        lookTwice();
        assertThat(routes()).containsExactly("mails");
    }

    @Test
    void a_file_that_is_not_understood_is_reported_once() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();
        Files.writeString(path.resolve("mails.yml"), "");

        try (var log = WrittenLog.of(LiveReload.class)) {
            lookTwice();
            lookTwice();
            assertThat(log.lines()).singleElement().asString().contains("mails.yml", "Rename it to mails.camel.yaml");
        }
        assertThat(notLoaded.names()).containsExactly("mails.yml");
        Files.delete(path.resolve("mails.yml"));
        lookTwice();
        assertThat(notLoaded.names()).isEmpty();
    }

    @Test
    void a_new_file_that_cannot_start_is_loaded_when_it_is_fixed_and_does_not_delay_others() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("broken", route("broken", "new").replace("direct:broken", "direct:broken?tipes=a"));
        folder.write("mails", route("mails", "new"));
        lookTwice();
        assertThat(starts).containsExactly("mails");

        folder.write("broken", route("broken", "new"));
        lookTwice();
        assertThat(starts).containsExactly("mails", "broken");
    }

    @Test
    void a_new_file_that_needs_something_from_outside_is_loaded_when_that_has_appeared() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();
        folder.write("mails", route("mails", "new").replace("setBody:", "process: {ref: mailer}\n        - setBody:"));
        try (var log = WrittenLog.of(FailedFiles.class)) {
            lookTwice();
            checkAfter(FailedFiles.FIRST_WAIT);
            checkAfter(FailedFiles.LONGEST_WAIT);
            assertThat(log.lines())
                    .as("one reason")
                    .singleElement()
                    .asString()
                    .contains("mails.camel.yaml", "mailer", "None of its routes run", "tried again");
        }

        context.getRegistry().bind("mailer", (Processor) exchange -> {});
        reload.look();
        assertThat(starts).as("before the next attempt is due").isEmpty();
        checkAfter(FailedFiles.LONGEST_WAIT);
        assertThat(answer("mails")).isEqualTo("new");
        checkAfter(FailedFiles.LONGEST_WAIT);

        assertThat(starts).as("once, and no other route").containsExactly("mails");
    }

    @Test
    void a_changed_file_is_tried_again_by_itself_only_if_the_reason_can_pass() throws Exception {
        folder.write("orders", route("orders", "old"));
        folder.write("mails", route("mails", "old"));
        start();
        var database = new AtomicReference<Exception>(new SQLException("refused", "08001"));
        context.addComponent("database", new UnavailableComponent(database));
        String needsDatabase = "to: {uri: database:ids}\n        - setBody:";
        folder.write("orders", route("orders", "new").replace("setBody:", needsDatabase));
        folder.write("mails", route("mails", "new").replace("setBody:", "process: {ref: mailer}\n        - setBody:"));
        lookTwice();
        assertThat(answer("orders") + answer("mails")).isEqualTo("oldold");
        starts.clear();

        database.set(null);
        checkAfter(FailedFiles.FIRST_WAIT);

        assertThat(answer("orders")).isEqualTo("new");
        assertThat(starts)
                .as("an attempt with mails would stop its previous version")
                .containsExactly("orders");
    }

    @Test
    void a_route_whose_previous_version_cannot_start_either_is_started_when_the_reason_has_passed() throws Exception {
        var database = new AtomicReference<Exception>();
        context.addComponent("database", new UnavailableComponent(database));
        String needsDatabase = "to: {uri: database:ids}\n        - setBody:";
        folder.write("orders", route("orders", "old").replace("setBody:", needsDatabase));
        start();

        database.set(new SQLException("refused", "08001"));
        folder.write("orders", route("orders", "new").replace("setBody:", needsDatabase));
        lookTwice();
        assertThat(routes()).isEmpty();
        database.set(null);
        checkAfter(FailedFiles.FIRST_WAIT);

        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_shipped_step_that_becomes_wrong_leaves_the_previous_one_running_until_it_is_fixed() throws Exception {
        var server = new TestHttp(200);
        context.getPropertiesComponent().addInitialProperty("caravan.routes", path.toString());
        Files.writeString(path.resolve("text.txt"), "file");
        folder.write("orders", sms(server.port(), "one"));
        start();
        answer("orders");
        for (String text : List.of("${wrong", "file:missing.txt", "two", "file:text.txt")) {
            folder.write("orders", sms(server.port(), text));
            lookTwice();
            answer("orders");
        }

        assertThat(server.requests())
                .extracting(each -> each.text().replaceFirst(".*Body=", ""))
                .containsExactly("one", "one", "one", "two", "file");
    }

    private static String sms(int port, String text) {
        return """
                - route:
                    id: orders
                    from:
                      uri: direct:orders
                      steps:
                        - to:
                            uri: sms:gateway
                            parameters:
                              url: http://localhost:%d/
                              from: "+15005550006"
                              to: "+15550100001"
                              text: "%s"
                """.formatted(port, text);
    }

    @Test
    void a_file_that_lets_messages_of_another_file_end_early_is_refused() throws Exception {
        withoutDatabase();
        folder.write("orders", outbox("orders", "direct:sends"));
        folder.write("sends", sends("to: {uri: 'log:sent'}"));
        start();

        folder.write("sends", sends("wireTap: {uri: 'log:sent'}"));
        lookTwice();

        assertThat(((ModelCamelContext) context).getRouteDefinition("sends").getOutputs())
                .last()
                .hasToString("to[log:sent]");
    }

    @Test
    void a_new_route_that_reaches_a_step_of_a_later_file_that_ends_it_early_is_refused() throws Exception {
        withoutDatabase();
        folder.write("other", route("other", "old"));
        start();

        folder.write("orders", outbox("orders", "direct:sends"));
        folder.write("sends", sends("wireTap: {uri: 'log:sent'}"));
        lookTwice();

        assertThat(routes()).containsExactlyInAnyOrder("other", "orders");
    }

    /** It would deliver messages as the refused version says, and repeat that with each attempt. */
    @Test
    void a_refused_file_starts_none_of_its_routes() throws Exception {
        withoutDatabase();
        folder.write("orders", outbox("orders", "log:old"));
        start();

        for (String refused : List.of(
                route("mails", "new").replace("direct:mails", "direct:mails?tipes=a"),
                outbox("mails", "log:sent").replace("to: ", "wireTap: "),
                outbox("mails", "log:sent").replace("outbox:mails", "outbox:orders"))) {
            folder.write("orders", outbox("orders", "log:new") + route("texts", "new") + refused);
            folder.write("late", outbox("late", "log:new") + refused.replace("orders", "late"));
            lookTwice();
            assertThat(starts).as(refused).containsExactly("orders");
            assertThat(routes()).as(refused).containsExactly("orders");
            assertThat(((ModelCamelContext) context)
                            .getRouteDefinition("orders")
                            .getOutputs())
                    .last()
                    .hasToString("to[log:old]");
            starts.clear();
        }
        folder.write("orders", outbox("orders", "log:new") + route("texts", "new"));
        folder.remove("late");
        lookTwice();
        assertThat(routes()).containsExactlyInAnyOrder("orders", "texts");
        assertThat(answer("texts")).isEqualTo("new");
    }

    private void withoutDatabase() {
        OutboxComponent outbox = new OutboxComponent();
        outbox.setOnDemand(statement -> {});
        context.addComponent("outbox", outbox);
    }

    private static String outbox(String id, String to) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      steps:
                        - to: {uri: "%2$s"}
                """.formatted(id, to);
    }

    private static String sends(String step) {
        return """
                - route:
                    id: sends
                    from:
                      uri: direct:sends
                      steps:
                        - %s
                """.formatted(step);
    }

    private void checkAfter(Duration wait) {
        time.addAndGet(wait.toNanos());
        reload.look();
    }

    /** The log is read by many who may not read the routes folder. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "to: {uri: '{{partner.key}}:abc'}",
                "to: {uri: 'Sk_Live-Abc123+Def/456==:abc'}",
                "process: {ref: '{{partner.key}}'}",
                "process: {ref: '{{defaultOf.key:Sk_Live-Abc123+Def/456==}}'}",
                "setBody: {simple: {expression: '${bodx.{{partner.key}}}'}}",
                "to: {uri: 'database:ids'}",
            })
    void the_log_says_why_a_file_is_refused_without_addresses_and_secrets(String step) throws Exception {
        start();
        context.addComponent(
                "database",
                new UnavailableComponent(
                        new AtomicReference<>(
                                new IllegalArgumentException(
                                        "Uri should not contain query parameters (uri: https://hooks.example.com/services/T0LitAbc12/Sk_Live-Abc123?a=b)"))));

        try (WrittenLog log = WrittenLog.of(FailedFiles.class)) {
            folder.write("orders", route("orders", "new").replace("setBody:", step + "\n        - setBody:"));
            lookTwice();

            assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                    .contains("Could not load orders.camel.yaml: ", "Correct the file")
                    .doesNotContain("Abc123", "T0LitAbc12"));
        }
    }
}
