package dev.caravan.routes.context;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.caravan.WrittenLog;
import java.io.File;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.file.FileComponent;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.GenericFileConfiguration;
import org.apache.camel.component.file.GenericFileEndpoint;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CamelMainTest {
    @Test
    void a_setting_takes_precedence_over_an_environment_variable_of_its_name() throws Exception {
        Properties settings = new Properties();
        settings.setProperty("camel.main.routesIncludePattern", "false");
        settings.setProperty("path", "mine");
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(settings);
        try {
            main.init();

            assertThat(System.getenv("PATH")).isNotNull();
            assertThat(main.getCamelContext().resolvePropertyPlaceholders("{{path}}"))
                    .isEqualTo("mine");
        } finally {
            main.stop();
        }
    }

    /** Signatures have + and /, and a number +49…; a + is a space to receivers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{uri: 'HOST/in?sig=aB%2Bc%2FdE%3D&a=x+y'}                               | /in?a=x+y&sig=aB%2Bc%2FdE%3D",
                "{uri: 'HOST/in', parameters: {httpMethod: POST, sig: aB%2bc%2FdE%3D}}   | /in?sig=aB%2Bc%2FdE%3D",
                "{uri: '{{hook}}'}                                                       | /in?sig=a%2Bb%26c%2F%3D&to=%2B49",
                "{uri: '{{hook}}', parameters: {httpMethod: POST, x: '1'}}               | /in?sig=a%2Bb%26c%2F%3D&to=%2B49&x=1",
                "{uri: 'HOST/in?sig={{sig}}'}                                            | /in?sig=a%2Bb",
                "{uri: 'HOST/in?x=RAW(a+b)&y=1%2525%2B%29'}                              | /in?x=a%2Bb&y=1%2525%2B%29",
                "{uri: 'HOST/in?x=%FC%2B&y=%C3%BC%2B'}                                   | /in?x=%EF%BF%BD+&y=%C3%BC%2B",
            })
    void a_query_arrives_as_it_is_written(String step, String request) throws Exception {
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        String host = "http://localhost:" + server.getAddress().getPort();
        Properties settings = new Properties();
        settings.setProperty("camel.main.routesIncludePattern", "false");
        settings.setProperty("hook", host + "/in?sig=a%2Bb%26c%2F%3D&to=%2B49");
        settings.setProperty("sig", "a%2Bb");
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(settings);
        try {
            main.start();
            PluginHelper.getRoutesLoader(main.getCamelContext())
                    .loadRoutes(ResourceHelper.fromString(
                            "a.camel.yaml",
                            "- route: {from: {uri: 'direct:a', steps: [{to: " + step.replace("HOST", host) + "}]}}"));
            main.getCamelContext().createProducerTemplate().sendBody("direct:a", "x");
        } finally {
            main.stop();
            server.stop(0);
        }
        assertThat(requests).containsExactly(request);
    }

    @Test
    void failures_of_a_route_that_reads_no_outbox_are_logged_once_in_a_while() throws Exception {
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.setDefaultPropertyPlaceholderLocation("false");
        main.configure().addRoutesBuilder(new RouteBuilder() {
            @Override
            public void configure() {
                errorHandler(noErrorHandler());
                from("timer:fails?delay=0&period=10&repeatCount=5")
                        .routeId("timed")
                        .to("direct:called");
                from("direct:called").routeId("called").throwException(new ConnectException("no answer"));
            }
        });
        try (WrittenLog log = WrittenLog.warnings()) {
            main.start();
            try {
                eventually(() -> assertThat(log.lines()).anyMatch(line -> line.startsWith("Route ")));
            } finally {
                main.stop();
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("Route "))
                    .containsExactly(
                            "Route timed failed: ConnectException (no answer). Failures since the last warning: 1");
        }
    }

    /** The component is not among the libraries of the tests. */
    @Test
    void ftp_transfers_bytes_as_they_are() throws Exception {
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.setDefaultPropertyPlaceholderLocation("false");
        main.init();
        try {
            CamelContext camel = main.getCamelContext();
            camel.addComponent("ftp", new FileComponent() {
                @Override
                protected GenericFileEndpoint<File> buildFileEndpoint(
                        String uri, String remaining, Map<String, Object> parameters) {
                    FileEndpoint endpoint = new FileEndpoint(uri, this);
                    endpoint.setConfiguration(new FtpConfiguration());
                    parameters.remove("binary"); // false
                    return endpoint;
                }
            });

            assertThat(isBinary(camel, "ftp:host/a?fileName=x")).isTrue();
            assertThat(isBinary(camel, "ftp:host/a?fileName=x&binary=false")).isFalse();
            assertThat(camel.getEndpoint("file:target/none")).isNotNull();
        } finally {
            main.stop();
        }
    }

    private static boolean isBinary(CamelContext camel, String uri) {
        return ((FtpConfiguration) camel.getEndpoint(uri, FileEndpoint.class).getConfiguration()).isBinary();
    }

    /** With the option that Camel has. */
    public static final class FtpConfiguration extends GenericFileConfiguration {
        private boolean binary;

        public boolean isBinary() {
            return binary;
        }

        public void setBinary(boolean binary) {
            this.binary = binary;
        }
    }
}
