package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application without some of Camel's components. */
class MissingLibrariesTest {
    @ParameterizedTest
    @CsvSource({
        "(camel-http|camel-http-.*|httpclient5|httpcore5)-.*, org.apache.camel.component.http.HttpEndpoint, kafka:a?brokers=localhost:1",
        "(camel-kafka|kafka-clients|kafka_)-.*, org.apache.camel.component.kafka.KafkaEndpoint, http://localhost:1",
        "(camel-mail|jakarta.mail|angus).*, org.apache.camel.component.mail.MailEndpoint, http://localhost:1",
        "(camel-(http|kafka|mail)|http(client|core)5|kafka-clients|jakarta.mail|angus).*, org.apache.camel.component.http.HttpEndpoint, log:a"
    })
    void the_component_starts_and_other_endpoints_are_created(String jars, String missing, String endpoint)
            throws Exception {
        URL[] path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(file -> !Pattern.matches(jars, file.getFileName().toString()))
                .map(MissingLibrariesTest::url)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            assertThat(loader.getResource(missing.replace('.', '/') + ".class")).isNull();
            var application = (Callable<?>) loader.loadClass(Application.class.getName())
                    .getConstructor(String.class)
                    .newInstance(endpoint);

            assertThat(application.call()).isEqualTo(endpoint.replaceFirst(":.*", ""));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (java.net.MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs with the classes of the application. */
    public static final class Application implements Callable<Object> {
        private final String endpoint;

        public Application(String endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public Object call() throws Exception {
            try (CamelContext context = new DefaultCamelContext() {
                @Override
                public ClassLoader getApplicationContextClassLoader() { // needed before it can be set
                    return Application.class.getClassLoader();
                }
            }) {
                OutboxComponent component = new OutboxComponent();
                component.setOnDemand(sql -> {});
                context.addComponent("outbox", component);
                RouteBuilder.addRoutes(context, routes -> {
                    routes.from("outbox:orders").to("direct:inner");
                    routes.from("direct:inner").to("log:a");
                });
                context.start();
                return context.getEndpoint(endpoint).getEndpointUri().replaceFirst(":.*", "");
            }
        }
    }
}
