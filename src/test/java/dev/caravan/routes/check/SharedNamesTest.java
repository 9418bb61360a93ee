package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one route file defines, and would change what the routes of another file send. */
class SharedNamesTest {
    private static final String POOL = "com.zaxxer.hikari.HikariDataSource";

    @TempDir
    Path folder;

    private final Map<String, String> settings = new HashMap<>();

    @BeforeEach
    void useFolder() {
        settings.put("caravan.routes", folder.toString());
    }

    @Test
    void a_bean_of_two_files_is_refused_with_both_places() throws Exception {
        write("a.camel.yaml", bean("db", POOL) + route("a", "log:a"));
        write("b.camel.yaml", route("b", "log:b") + bean("db", POOL));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("b.camel.yaml:9: bean db has the name of a bean in a.camel.yaml:2,")
                .contains("Rename one", "camel.beans.db=#class:");
    }

    @Test
    void beans_with_other_names_are_accepted() throws Exception {
        write("a.camel.yaml", bean("warehouse", POOL) + route("a", "log:a"));
        write("b.camel.yaml", bean("ledger", POOL) + bean("ids", "java.util.ArrayList") + route("b", "log:b"));

        assertThat(problems()).isEmpty();
    }

    @Test
    void a_bean_of_xml_and_one_of_java_have_their_names_among_those_of_yaml() throws Exception {
        write("a.camel.yaml", bean("stamp", "java.util.ArrayList"));
        write("b.camel.xml", """
                <camel>
                  <bean name="stamp" type="java.util.ArrayList"/>
                  <route id="b"><from uri="direct:b"/><bean ref="stamp" method="size"/></route>
                </camel>
                """);
        write("C.java", """
                public class C extends org.apache.camel.builder.RouteBuilder {
                    public void configure() {
                        // bindToRegistry("unused", "");
                        bindToRegistry("stamp", "");
                        from("direct:c").routeId("c").to("log:c");
                    }
                }
                """);
        write("d.camel.yaml", bean("unused", "java.util.ArrayList"));

        assertThat(problems())
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("a.camel.yaml:2: bean stamp")
                        .contains("C.java:4"))
                .anySatisfy(problem -> assertThat(problem).startsWith("b.camel.xml:2: bean stamp"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dataSource",
                "outbox",
                "filesNotLoaded",
                "vertx",
                "health",
                "metricsRegistry",
                "messageIds",
                "jsonMapper",
                "ownPool"
            })
    void a_bean_with_a_name_of_the_relay_or_of_the_settings_is_refused(String name) throws Exception {
        settings.put("camel.beans.ownPool", "#class:" + POOL);
        write("a.camel.yaml", bean(name, "java.util.ArrayList") + route("a", "log:a"));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("a.camel.yaml:2: bean " + name + " would replace the one of the relay or of the settings");
    }

    @ParameterizedTest
    @CsvSource({
        "kafka, org.apache.camel.component.kafka.KafkaComponent, would replace that of Camel",
        "jackson, org.apache.camel.component.jackson.JacksonDataFormat, would replace that of Camel",
        "simple-language, org.apache.camel.language.simple.SimpleLanguage, would replace that of Camel",
        "mapper, com.fasterxml.jackson.databind.ObjectMapper, for the routes of all files",
        "clients, org.apache.camel.component.kafka.DefaultKafkaClientFactory, for the routes of all files"
    })
    void a_bean_that_camel_uses_for_all_routes_belongs_into_the_settings(String name, String type, String reason)
            throws Exception {
        write("a.camel.yaml", bean(name, type));
        write("b.camel.yaml", route("b", "kafka:orders"));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("a.camel.yaml:2: ")
                .contains(reason);

        Files.delete(folder.resolve("a.camel.yaml"));
        settings.put("camel.beans." + name, "#class:" + type);
        assertThat(problems()).isEmpty();
    }

    @Test
    void another_component_of_a_kind_is_accepted_under_a_name_of_its_own() throws Exception {
        write("a.camel.yaml", bean("partner", "org.apache.camel.component.http.HttpComponent") + route("a", "log:a"));

        assertThat(problems()).isEmpty();
    }

    @Test
    void a_template_of_two_files_is_refused() throws Exception {
        write("a.camel.yaml", template("send"));
        write("b.camel.yaml", template("send"));
        write("C.java", """
                public class C extends org.apache.camel.builder.RouteBuilder {
                    public void configure() {
                        routeTemplate("send").from("direct:c").to("log:c");
                    }
                }
                """);

        assertThat(problems())
                .hasSize(2)
                .allSatisfy(
                        problem -> assertThat(problem).contains("routeTemplate send has the name of a routeTemplate"))
                .anySatisfy(problem ->
                        assertThat(problem).startsWith("b.camel.yaml:1: ").contains("C.java:3"));
    }

    @Test
    void a_route_of_a_template_has_no_id_of_another_route() throws Exception {
        write("a.camel.yaml", route("a", "log:a"));
        write("b.camel.yaml", template("send") + templated("a"));
        write("c.camel.yaml", templated("c"));
        write("d.camel.yaml", templated("c"));

        assertThat(problems())
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("b.camel.yaml:7: templatedRoute a")
                        .contains("a.camel.yaml:1"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("d.camel.yaml:1: templatedRoute c")
                        .contains("c.camel.yaml:1"));
    }

    @Test
    void a_data_format_of_two_files_is_refused() throws Exception {
        for (String name : List.of("a", "b")) {
            write(name + ".camel.yaml", "- dataFormats:\n    - json: {id: orders}\n");
        }

        assertThat(problems()).singleElement().asString().startsWith("b.camel.yaml:2: data format orders");
    }

    @Test
    void a_rest_configuration_is_refused() throws Exception {
        write("a.camel.yaml", "- restConfiguration: {host: partner.example.com}\n" + route("a", "log:a"));

        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("a.camel.yaml:1: restConfiguration")
                .contains("camel.rest.");
    }

    @Test
    void an_interception_of_sends_is_refused_everywhere() throws Exception {
        String interception = "interceptSendToEndpoint: {uri: \"http*\", steps: [{log: {message: x}}]}\n";
        write("a.camel.yaml", "- " + interception + route("a", "log:a"));
        write("b.camel.yaml", route("b", "log:b") + "        - " + interception);
        write("c.camel.yaml", "- routeConfiguration: {interceptSendToEndpoint: [{" + interception.strip() + "}]}\n");
        write("e.camel.yaml", template("sending") + "        - " + interception);
        String clause =
                "- routeConfiguration: {onException: [{onException: {exception: [java.io.IOException], steps: [{%s}]}}]}";
        write("f.camel.yaml", clause.formatted(interception.strip()));
        write("g.camel.xml", """
                <routes>
                  <route id="g">
                    <from uri="direct:g"/>
                    <interceptSendToEndpoint uri="http*"><log message="x"/></interceptSendToEndpoint>
                    <to uri="log:g"/>
                  </route>
                </routes>
                """);
        write("D.java", """
                public class D extends org.apache.camel.builder.RouteBuilder {
                    public void configure() {
                        interceptSendToEndpoint("http*").setHeader("x", constant("y"));
                        from("direct:d").routeId("d").to("log:d");
                    }
                }
                """);

        assertThat(problems())
                .allSatisfy(problem ->
                        assertThat(problem).contains("interceptSendToEndpoint applies to the routes of all files"))
                .extracting(problem -> problem.replaceFirst(": .*", ""))
                .containsExactlyInAnyOrder(
                        "a.camel.yaml:1",
                        "b.camel.yaml:8",
                        "c.camel.yaml:1",
                        "D.java:3",
                        "e.camel.yaml:7",
                        "f.camel.yaml:1",
                        "g.camel.xml:4");
    }

    @Test
    void a_class_with_an_interception_of_sends_is_refused() throws Exception {
        settings.put("camel.main.routesBuilderClasses", Intercepting.class.getName());
        write("a.camel.yaml", route("a", "log:a"));

        assertThat(problems())
                .singleElement()
                .asString()
                .contains("route intercepting: interceptSendToEndpoint applies");
    }

    /** Routes of a class in a jar. */
    public static final class Intercepting extends RouteBuilder {
        @Override
        public void configure() {
            interceptSendToEndpoint("http*").log("x");
            from("direct:x").routeId("intercepting").to("log:x");
        }
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private static String bean(String name, String type) {
        return "- beans:\n    - name: %s\n      type: %s\n".formatted(name, type);
    }

    private static String route(String id, String to) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: direct:%1$s
                      steps:
                        - to:
                            uri: %2$s
                """.formatted(id, to);
    }

    private static String template(String id) {
        return """
                - routeTemplate:
                    id: %s
                    from:
                      uri: direct:templated
                      steps:
                        - to: {uri: log:x}
                """.formatted(id);
    }

    private static String templated(String id) {
        return "- templatedRoute: {routeTemplateRef: send, routeId: %s}\n".formatted(id);
    }

    private List<String> problems() throws Exception {
        try (Configuration checked =
                new Configuration(Settings.load(Path.of("none.properties"), settings), Relay.settings())) {
            return checked.findings().stream()
                    .filter(finding -> !finding.ok())
                    .map(finding -> finding.name() + ": " + finding.text())
                    .toList();
        }
    }
}
