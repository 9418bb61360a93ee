package dev.caravan.camel.monitoring;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.camel.outbox.TestOutbox;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** An application whose class path has neither Micrometer nor the client of Prometheus nor camel-health. */
class WithoutMicrometerIT {
    /** Loads each class again, except those of Java and those that are not there. */
    private static final class Application extends URLClassLoader {
        Application() throws Exception {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() throws Exception {
            return Arrays.stream(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                    .filter(entry -> !entry.matches(".*/(camel-)?(micrometer|prometheus|health)[^/]*\\.jar"))
                    .map(entry -> {
                        try {
                            return Path.of(entry).toUri().toURL();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toArray(URL[]::new);
        }
    }

    @Test
    void the_component_delivers_and_does_housekeeping() throws Exception {
        TestOutbox outbox = TestOutbox.create();
        outbox.insert(1);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (Application application = new Application()) {
            assertThatThrownBy(() -> application.loadClass("io.micrometer.core.instrument.MeterRegistry"))
                    .isInstanceOf(ClassNotFoundException.class);
            assertThatThrownBy(() -> application.loadClass("org.apache.camel.impl.health.AbstractHealthCheck"))
                    .isInstanceOf(ClassNotFoundException.class);
            Thread.currentThread().setContextClassLoader(application);
            @SuppressWarnings("unchecked")
            Callable<AutoCloseable> start = (Callable<AutoCloseable>) application
                    .loadClass(PlainContext.class.getName())
                    .getConstructor(String.class, String.class, String.class)
                    .newInstance(
                            outbox.url(),
                            TestPostgres.server().user(),
                            TestPostgres.server().password());

            try (AutoCloseable context = start.call()) {
                outbox.awaitPassed("orders", 1);
                eventually(() -> assertThat(outbox.number("select count(*) from outbox_lease"))
                        .isEqualTo(1));
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
