package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.routes.check.ParsedFiles;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.spi.PropertiesFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the reload of a file does not do again for the other files. */
class LiveReloadOfManyTest extends LiveReloadFixture {
    private final AtomicInteger checks = new AtomicInteger();

    @BeforeEach
    void withoutDatabase() throws Exception {
        OutboxComponent outbox = new OutboxComponent();
        outbox.setOnDemand(statement -> {});
        context.addComponent("outbox", outbox);
        context.getPropertiesComponent().addPropertiesFunction(new Counted());
        for (int n = 1; n <= 3; n++) {
            folder.write("s" + n, subscription("s" + n));
        }
    }

    @Test
    void a_new_subscription_is_checked_and_not_those_that_run() throws Exception {
        start();
        checks.set(0);
        folder.write("new", subscription("new"));
        lookTwice();
        int ofOne = checks.getAndSet(0);

        for (int n = 4; n <= 8; n++) {
            folder.write("s" + n, subscription("s" + n));
        }
        lookTwice();

        assertThat(routes()).hasSize(9);
        assertThat(ofOne).isPositive();
        assertThat(checks).hasValue(5 * ofOne);
    }

    @Test
    void a_change_of_the_error_handling_parses_each_other_file_once() throws Exception {
        folder.write("errors", errors("java.io.IOException"));
        context.getRegistry().bind("parsedFiles", new ParsedFiles());
        start();
        ParsedFiles.clear();

        folder.write("errors", errors("java.lang.IllegalStateException"));
        lookTwice();

        assertThat(ParsedFiles.names())
                .filteredOn(name -> List.of("s1", "s2", "s3").contains(name))
                .containsExactlyInAnyOrder("s1", "s2", "s3");
        assertThat(starts).containsExactlyInAnyOrder("s1", "s2", "s3");
    }

    private static String subscription(String id) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      steps:
                        - setProperty: {name: "{{counted:x}}", expression: {constant: {expression: "y"}}}
                """.formatted(id);
    }

    private static String errors(String exception) {
        return """
                - routeConfiguration:
                    onException:
                      - onException:
                          exception: [%s]
                          steps:
                            - log: {message: x}
                """.formatted(exception);
    }

    /** The name of a property; each check of its step reads it. */
    private final class Counted implements PropertiesFunction {
        @Override
        public String getName() {
            return "counted";
        }

        @Override
        public String apply(String name) {
            checks.incrementAndGet();
            return name;
        }
    }
}
