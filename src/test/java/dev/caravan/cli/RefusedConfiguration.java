package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** What {@code check} and {@code run} say about mistakes in routes and in settings. */
abstract class RefusedConfiguration extends RoutesFixture {
    /** Nothing listens there. */
    static final String NO_DATABASE = "jdbc:postgresql://localhost:1/none";

    /** No address: Kafka's client does not try for seconds to reach it. */
    static final String NO_BROKERS = "camel.component.kafka.brokers=none";

    final void assertSettingRefused(String setting, String message) throws IOException {
        route("good", "outbox:good", "log:b");

        assertRefused(List.of(message), setting);
    }

    final void assertOptionsRefused(String options, String message) throws IOException {
        route("wrong", "outbox:wrong", "log:b", "      parameters: {" + options + "}");

        assertRefused(List.of("wrong.camel.yaml:4: route wrong: outbox:wrong is refused: ", message));
    }

    final void assertDestinationRefused(String uri, String message) throws IOException {
        route("wrong", "outbox:wrong", uri);

        assertRefused(List.of("wrong.camel.yaml:6: route wrong: ", message), NO_BROKERS);
    }

    final void assertComponentNeeded(String step, String message) throws IOException {
        Files.writeString(routes.resolve("wrong.camel.yaml"), """
                - route:
                    id: wrong
                    from:
                      uri: outbox:wrong
                      steps:
                        - %s
                """.formatted(step));

        assertRefused(List.of("wrong.camel.yaml:6: route wrong: ", message));
    }

    /** @param message follows the name of the file and the line */
    final void assertStepRefused(String step, String message) throws IOException {
        Files.writeString(routes.resolve("wrong.camel.yaml"), """
                # a comment
                - route:
                    id: wrong
                    from:
                      uri: outbox:wrong
                      steps:
                        - log: {message: a}
                        - %s
                """.formatted(step));
        Files.writeString(routes.resolve("own.properties"), "empty.url =\nown.name = shop\n");

        assertThat(assertRefused(List.of("wrong.camel.yaml:8: " + message)).out())
                .doesNotContain("secret-1");
    }

    /** @param source with {@code `} for quotation marks */
    final void assertJavaRefused(String source, String message) throws IOException {
        Files.writeString(routes.resolve("Orders.java"), source.replace('`', '"'));

        assertRefused(List.of("Orders.java", message));
    }

    /**
     * No database is needed for it: a connection for each case would take more processor time than the check.
     *
     * @return what the check printed
     */
    final CommandRun assertRefused(List<String> texts, String... settings) throws IOException {
        String config = CommandRun.config(folder, NO_DATABASE, "postgres", settings);

        CommandRun check = CommandRun.of("check", "--config", config);
        assertThat(check.out().lines().filter(line -> line.startsWith("PROBLEM")))
                .anySatisfy(line -> assertThat(line).contains(texts));
        check.assertWrongUse();

        CommandRun run = CommandRun.of(
                (any, beforeRoutes) -> {
                    throw new AssertionError("started");
                },
                "run",
                "--config",
                config);
        assertThat(run.err().lines())
                .anySatisfy(line -> assertThat(line).startsWith("- ").contains(texts));
        run.assertWrongUse();
        return check;
    }
}
