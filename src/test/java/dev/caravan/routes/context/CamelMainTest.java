package dev.caravan.routes.context;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.io.File;
import java.net.ConnectException;
import java.util.Map;
import java.util.Properties;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.file.FileComponent;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.GenericFileConfiguration;
import org.apache.camel.component.file.GenericFileEndpoint;
import org.junit.jupiter.api.Test;

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
