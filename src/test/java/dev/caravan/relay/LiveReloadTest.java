package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.context.RouteFiles;
import dev.caravan.outbox.OutboxComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.CamelContext;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.camel.support.SimpleEventNotifierSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which changes of the folder are noticed, and what becomes of the routes. Without a database; {@link LiveReloadIT} has one. */
class LiveReloadTest {
    @TempDir
    private Path path;

    private final CamelContext context = new DefaultCamelContext();
    /** The ids of the routes, in the order of their starts. */
    private final List<String> starts = new ArrayList<>();

    private final AtomicLong time = new AtomicLong();
    private RouteFolder folder;
    private LiveReload reload;

    @BeforeEach
    void prepare() {
        folder = new RouteFolder(path);
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    @Test
    void a_config_map_that_the_kubelet_swaps_is_loaded() throws Exception {
        folder.swap(Map.of("orders", route("orders", "old"), "mails", route("mails", "old")));
        start();

        folder.swap(Map.of("orders", route("orders", "new"), "mails", route("mails", "old")));
        lookTwice();

        assertThat(starts).containsExactly("orders");
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_leaves_the_config_map_stops_its_route() throws Exception {
        folder.swap(Map.of("orders", route("orders", "old"), "mails", route("mails", "old")));
        start();

        folder.swap(Map.of("orders", route("orders", "old")));
        lookTwice();

        assertThat(context.getRoutes()).extracting(Route::getRouteId).containsExactly("orders");
        assertThat(starts).isEmpty();
    }

    @Test
    void a_folder_behind_a_link_that_is_swapped_is_loaded() throws Exception {
        Path first = Files.createDirectory(path.resolve("v1"));
        Path second = Files.createDirectory(path.resolve("v2"));
        new RouteFolder(first).write("orders", route("orders", "old"));
        new RouteFolder(second).write("orders", route("orders", "new"));
        folder = new RouteFolder(Files.createSymbolicLink(path.resolve("current"), first));
        start();

        Files.delete(folder.path());
        Files.createSymbolicLink(folder.path(), second);
        lookTwice();

        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_is_written_in_place_is_loaded_once() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", route("orders", "new"));
        lookTwice();
        lookTwice();

        assertThat(starts).containsExactly("orders");
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_another_one_is_renamed_over_is_loaded_once() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.replace("orders", route("orders", "new"));
        lookTwice();
        lookTwice();

        assertThat(starts).containsExactly("orders");
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_is_saved_without_a_change_is_not_loaded() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.replace("orders", route("orders", "old"));
        lookTwice();

        assertThat(starts).isEmpty();
    }

    @Test
    void a_file_is_not_loaded_while_it_is_being_written() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", "");
        reload.look();
        folder.write("orders", route("half", "new"));
        reload.look();
        folder.write("orders", route("orders", "new"));
        reload.look();
        assertThat(starts).isEmpty();
        reload.look();

        assertThat(starts).containsExactly("orders");
    }

    @Test
    void a_file_that_is_missing_for_a_moment_keeps_its_route() throws Exception {
        folder.write("orders", route("orders", "old"));
        folder.write("mails", route("mails", "old"));
        start();

        folder.remove("orders");
        reload.look();
        folder.write("orders", route("orders", "old"));
        lookTwice();

        assertThat(starts).isEmpty();
        assertThat(context.getRoutes()).hasSize(2);
    }

    @Test
    void a_file_that_is_not_yaml_leaves_its_route_running_until_it_is_mended() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", route("orders", "new").replace("from:", "from: {"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("old");
        assertThat(starts).isEmpty();

        folder.write("orders", route("orders", "new"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_route_that_cannot_start_is_replaced_by_its_previous_version_until_it_is_mended() throws Exception {
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
    void a_java_route_that_does_not_compile_leaves_the_previous_one_running_until_it_is_mended() throws Exception {
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
        assertThat(context.getRoutes()).extracting(Route::getRouteId).containsExactly("mails");
    }

    private static String java(String body) {
        return """
                public class Orders extends org.apache.camel.builder.RouteBuilder {
                    public void configure() {
                        from("direct:orders").routeId("orders")
                                .setBody(constant(%s));
                    }
                }
                """.formatted(body);
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
    }

    @Test
    void a_new_file_that_cannot_start_is_loaded_when_it_is_mended_and_does_not_hold_back_others() throws Exception {
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
            lookAfter(FailedFiles.FIRST_WAIT);
            lookAfter(FailedFiles.LONGEST_WAIT);
            assertThat(log.lines())
                    .as("one reason")
                    .singleElement()
                    .asString()
                    .contains("mails.camel.yaml", "mailer", "None of its routes run", "tried again");
        }

        context.getRegistry().bind("mailer", (Processor) exchange -> {});
        reload.look();
        assertThat(starts).as("before the next attempt is due").isEmpty();
        lookAfter(FailedFiles.LONGEST_WAIT);
        assertThat(answer("mails")).isEqualTo("new");
        lookAfter(FailedFiles.LONGEST_WAIT);

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
        lookAfter(FailedFiles.FIRST_WAIT);

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
        assertThat(context.getRoutes()).isEmpty();
        database.set(null);
        lookAfter(FailedFiles.FIRST_WAIT);

        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_shipped_step_that_becomes_wrong_leaves_the_previous_one_running_until_it_is_mended() throws Exception {
        var server = com.sun.net.httpserver.HttpServer.create(
                new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), 0);
        List<String> texts = new java.util.concurrent.CopyOnWriteArrayList<>();
        server.createContext("/", exchange -> {
            try (exchange) {
                texts.add(new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                        .replaceFirst(".*Body=", ""));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        try {
            context.getPropertiesComponent().addInitialProperty("caravan.routes", path.toString());
            Files.writeString(path.resolve("text.txt"), "file");
            folder.write("orders", sms(server.getAddress().getPort(), "one"));
            start();
            answer("orders");
            for (String text : List.of("${wrong", "file:missing.txt", "two", "file:text.txt")) {
                folder.write("orders", sms(server.getAddress().getPort(), text));
                lookTwice();
                answer("orders");
            }
        } finally {
            server.stop(0);
        }

        assertThat(texts).containsExactly("one", "one", "one", "two", "file");
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
    void two_files_that_change_together_are_both_loaded() throws Exception {
        folder.write("orders", route("orders", "old"));
        folder.write("mails", route("mails", "old"));
        start();

        folder.write("orders", route("orders", "new"));
        folder.write("mails", route("mails", "new"));
        lookTwice();

        assertThat(starts).containsExactlyInAnyOrder("orders", "mails");
        assertThat(answer("orders") + answer("mails")).isEqualTo("newnew");
    }

    @Test
    void a_route_that_is_deleted_in_its_file_stops() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("both", route("orders", "old"));
        lookTwice();

        assertThat(context.getRoutes()).extracting(Route::getRouteId).containsExactly("orders");
    }

    @Test
    void a_route_moves_to_another_file() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("both", route("mails", "old"));
        folder.write("a", route("orders", "new"));
        lookTwice();

        assertThat(answer("orders")).isEqualTo("new");
        assertThat(context.getRoutes()).hasSize(2);
    }

    @Test
    void a_route_that_is_copied_to_another_file_starts_there_when_it_is_deleted_in_the_first() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("a", route("orders", "new"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("old");

        folder.write("both", route("mails", "old"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_change_of_the_error_handling_applies_to_all_routes() throws Exception {
        folder.write(
                "orders", route("orders", "old").replace("constant", "simple").replace("old", "${body.none}"));
        folder.write("errors", errorHandling("first"));
        start();
        assertThat(answer("orders")).isEqualTo("first");

        folder.write("errors", errorHandling("second"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("second");

        folder.write("errors", errorHandling("third").replace("onException", "onExeption"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("second");
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
                .asString()
                .isEqualToIgnoringCase("[To[log:sent]]");
    }

    @Test
    void a_new_route_that_reaches_a_step_of_a_later_file_that_ends_it_early_is_refused() throws Exception {
        withoutDatabase();
        folder.write("other", route("other", "old"));
        start();

        folder.write("orders", outbox("orders", "direct:sends"));
        folder.write("sends", sends("wireTap: {uri: 'log:sent'}"));
        lookTwice();

        assertThat(context.getRoutes()).extracting(Route::getRouteId).containsExactlyInAnyOrder("other", "orders");
    }

    @Test
    void a_changed_template_replaces_the_previous_one() throws Exception {
        folder.write("templates", template("old"));
        start();

        folder.write("templates", template("new"));
        lookTwice();

        assertThat(((ModelCamelContext) context).getRouteTemplateDefinitions())
                .singleElement()
                .satisfies(template ->
                        assertThat(template.getRoute().getOutputs()).asString().contains("new"));
    }

    @Test
    void a_changed_route_of_a_template_is_reported_and_not_taken_for_loaded() throws Exception {
        folder.write("orders", template("old") + templatedRoute());
        start();

        try (var log = WrittenLog.of(FailedFiles.class)) {
            folder.write("orders", template("new") + templatedRoute());
            lookTwice();
            assertThat(log.lines()).singleElement().asString().contains("restart the relay");
        }

        assertThat(answer("orders")).isEqualTo("old");
    }

    private static String template(String answer) {
        return """
                - routeTemplate:
                    id: answers
                    parameters:
                      - name: name
                    from:
                      uri: "direct:{{name}}"
                      steps:
                        - setBody: {expression: {constant: {expression: %s}}}
                """.formatted(answer);
    }

    private static String templatedRoute() {
        return """
                - templatedRoute:
                    routeTemplateRef: answers
                    routeId: orders
                    parameters:
                      - name: name
                        value: orders
                """;
    }

    private void withoutDatabase() {
        OutboxComponent outbox = new OutboxComponent();
        outbox.setOnDemand(true);
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

    @Test
    void an_empty_or_missing_folder_stops_nothing() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.remove("orders");
        try (var log = WrittenLog.of(LiveReload.class)) {
            lookTwice();
            Files.delete(path);
            lookTwice();
            assertThat(log.lines()).hasSize(2);
        }
        Files.createDirectory(path);
        folder.write("orders", route("orders", "new"));
        lookTwice();

        assertThat(starts).containsExactly("orders");
    }

    /** Loads the folder as a relay does at its start. */
    private void start() throws Exception {
        var files = RouteFiles.in(folder.path());
        for (String name : files.keySet()) {
            PluginHelper.getRoutesLoader(context)
                    .loadRoutes(ResourceHelper.resolveMandatoryResource(
                            context, "file:" + folder.path().resolve(name)));
        }
        context.start();
        context.getManagementStrategy().addEventNotifier(new SimpleEventNotifierSupport() {
            @Override
            public void notify(org.apache.camel.spi.CamelEvent event) {
                if (event instanceof org.apache.camel.spi.CamelEvent.RouteStartedEvent started) {
                    starts.add(started.getRoute().getRouteId());
                }
            }
        });
        reload = new LiveReload(folder.path(), new LoadedFiles(context, folder.path(), files, time::get));
    }

    private void lookTwice() {
        reload.look();
        reload.look();
    }

    private void lookAfter(Duration wait) {
        time.addAndGet(wait.toNanos());
        reload.look();
    }

    private String answer(String route) {
        try (var template = context.createProducerTemplate()) {
            return template.requestBody("direct:" + route, "", String.class);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String route(String id, String answer) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: direct:%1$s
                      steps:
                        - setBody:
                            expression:
                              constant:
                                expression: "%2$s"
                """.formatted(id, answer);
    }

    private static String errorHandling(String answer) {
        return """
                - routeConfiguration:
                    onException:
                      - onException:
                          exception:
                            - java.lang.Exception
                          handled:
                            constant:
                              expression: "true"
                          steps:
                            - setBody:
                                expression:
                                  constant:
                                    expression: "%s"
                """.formatted(answer);
    }
}
