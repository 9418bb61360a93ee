package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.component.BuiltJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A route with a component, a data format, a type converter and a bean that are only in a jar of the folder lib. */
class UserJarsInRoutesIT {
    private static final String ROUTE = """
            - route:
                id: to-shelf
                from:
                  uri: outbox:to-shelf
                  steps:
                    - process:
                        ref: "#class:shop.Stamp"
                    - marshal:
                        custom:
                          ref: upper
                    - convertBodyTo:
                        type: shop.Book
                    - to:
                        uri: "shelf:%s"
            """;

    @TempDir
    private Path folder;

    @Test
    void everything_that_a_route_names_is_found_in_lib_by_check_relay_and_reload() throws Exception {
        Path routes = Files.createDirectory(folder.resolve("routes"));
        shelf().in(folder.resolve("lib"), "shelf.jar");
        Files.writeString(routes.resolve("shelf.camel.yaml"), ROUTE.formatted(folder.resolve("first")));
        try (TestOutbox database = TestOutbox.create()) {
            Settings settings = database.settingsWithRoutes(
                    routes,
                    Map.of(
                            "camel.management.enabled", "false",
                            "camel.component.shelf.prefix", "set:",
                            "caravan.lib", folder.resolve("lib").toString()));

            try (Configuration configuration = new Configuration(settings, Relay.settings())) {
                assertThat(configuration.findings()).allMatch(CheckResult::ok).anyMatch(finding -> finding.text()
                        .equals("1 jar"));
            }
            try (Relay relay = Relay.start(settings)) {
                database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " values ('book', '1', 'book.added', '{\"a\": 1}')");
                eventually(() -> assertThat(folder.resolve("first")).hasContent("set:book STAMPED{\"A\": 1}\n"));

                Files.writeString(routes.resolve("shelf.camel.yaml"), ROUTE.formatted(folder.resolve("second")));
                relay.liveReload().look();
                relay.liveReload().look();
                database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " values ('book', '2', 'book.added', '{\"a\": 2}')");
                eventually(() -> assertThat(folder.resolve("second")).hasContent("set:book STAMPED{\"A\": 2}\n"));
            }
        }
    }

    @Test
    void java_and_xml_routes_and_classes_of_lib_deliver_as_yaml_routes_do() throws Exception {
        Path routes = Files.createDirectory(folder.resolve("routes"));
        shelf().source("FromClass", """
                        public class FromClass extends org.apache.camel.builder.RouteBuilder {
                            public void configure() {
                                from("outbox:of-class").routeId("of-class").process(new Stamp()).to("shelf:%s");
                            }
                        }
                        """.formatted(folder.resolve("class"))).in(folder.resolve("lib"), "shelf.jar");
        Files.writeString(routes.resolve("FromJava.java"), """
                import org.apache.camel.builder.RouteBuilder;
                import shop.Stamp;

                public class FromJava extends RouteBuilder {
                    @Override
                    public void configure() {
                        from("outbox:of-java").routeId("of-java")
                                .choice().when(exchange -> true).process(new Stamp()).end()
                                .to("shelf:%s");
                    }
                }
                """.formatted(folder.resolve("java")));
        Files.writeString(routes.resolve("xml.camel.xml"), """
                <routes>
                  <route id="of-xml">
                    <from uri="outbox:of-xml"/>
                    <process ref="#class:shop.Stamp"/>
                    <to uri="shelf:%s"/>
                  </route>
                </routes>
                """.formatted(folder.resolve("xml")));
        try (TestOutbox database = TestOutbox.create()) {
            Settings settings = database.settingsWithRoutes(
                    routes,
                    Map.of(
                            "camel.management.enabled", "false",
                            "camel.main.routesBuilderClasses", "shop.FromClass",
                            "camel.component.shelf.prefix", ">",
                            "caravan.lib", folder.resolve("lib").toString()));

            try (Configuration configuration = new Configuration(settings, Relay.settings())) {
                assertThat(configuration.findings()).allMatch(CheckResult::ok);
                assertThat(configuration.routes().lanesOfSubscriptions())
                        .containsOnlyKeys("of-class", "of-java", "of-xml");
            }
            try (Relay relay = Relay.start(settings)) {
                database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " values ('book', '1', 'book.added', '{}')");
                for (String from : new String[] {"java", "xml", "class"}) {
                    eventually(() -> assertThat(folder.resolve(from)).hasContent(">stamped{}\n"));
                }
            }
        }
    }

    /** What a jar of a user or of Camel contains: classes, and files that name them. */
    private static BuiltJar shelf() {
        return new BuiltJar()
                .source(
                        "Book",
                        "public record Book(String title) { public String toString() { return \"book \" + title; } }")
                .source("Stamp", """
                        public class Stamp implements org.apache.camel.Processor {
                            public void process(org.apache.camel.Exchange exchange) throws Exception {
                                Class<?> found = Thread.currentThread().getContextClassLoader().loadClass("shop.Book");
                                exchange.getMessage().setBody("stamped" + exchange.getMessage().getBody(String.class));
                            }
                        }
                        """)
                .source("Upper", """
                        import org.apache.camel.Exchange;
                        public class Upper extends org.apache.camel.support.service.ServiceSupport
                                implements org.apache.camel.spi.DataFormat {
                            public void marshal(Exchange exchange, Object body, java.io.OutputStream out) throws Exception {
                                out.write(body.toString().toUpperCase().getBytes());
                            }
                            public Object unmarshal(Exchange exchange, java.io.InputStream in) { throw new IllegalStateException(); }
                        }
                        """)
                .source("Shelf", """
                        import java.nio.file.*;
                        import java.util.Map;
                        import org.apache.camel.*;
                        public class Shelf extends org.apache.camel.support.DefaultComponent {
                            private String prefix;
                            public void setPrefix(String prefix) { this.prefix = prefix; }
                            protected Endpoint createEndpoint(String uri, String file, Map<String, Object> parameters) {
                                return new org.apache.camel.support.ProcessorEndpoint(uri, this, exchange ->
                                        Files.writeString(Path.of(file), prefix + exchange.getMessage().getBody() + "\\n",
                                                StandardOpenOption.CREATE, StandardOpenOption.APPEND));
                            }
                        }
                        """)
                .source("Books", """
                        import org.apache.camel.*;
                        import org.apache.camel.spi.*;
                        import org.apache.camel.support.SimpleTypeConverter;
                        public class Books implements TypeConverterLoader {
                            public void load(TypeConverterRegistry registry) {
                                registry.addTypeConverter(Book.class, java.io.InputStream.class, new SimpleTypeConverter(false,
                                        (type, exchange, value) -> new Book(exchange.getContext().getTypeConverter().convertTo(String.class, exchange, value))));
                            }
                        }
                        """)
                .file("META-INF/services/org/apache/camel/component/shelf", "class=shop.Shelf\n")
                .file("META-INF/services/org/apache/camel/dataformat/upper", "class=shop.Upper\n")
                .file("META-INF/services/org/apache/camel/TypeConverterLoader", "shop.Books\n");
    }
}
