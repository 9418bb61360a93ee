package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without a database. */
class RoutesCommandTest {
    private static final String ROUTES = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  parameters:
                    types: "order.*"
                    lanes: 2
                  steps:
                    - filter:
                        expression:
                          simple:
                            expression: "${header.type} != 'order.draft'"
                        steps:
                          - setHeader:
                              name: Authorization
                              expression:
                                constant:
                                  expression: secret-1
                          - to:
                              uri: http:{{orders.host}}/orders?authPassword=secret-2
                          - to:
                              uri: sftp://user:secret-3@files.example.com/orders
                    - choice:
                        when:
                          - expression:
                              simple:
                                expression: "${body} == ''"
                            steps:
                              - to:
                                  uri: kafka:empty
                        otherwise:
                          steps:
                            - to:
                                uri: direct:rest
            - route:
                id: rest
                from:
                  uri: direct:rest
                  steps:
                    - to:
                        uri: kafka:orders
                    - doTry:
                        steps:
                          - to:
                              uri: kafka:copies
                        doCatch:
                          - exception: [java.io.IOException]
                            steps:
                              - to:
                                  uri: kafka:failed
            """;

    @TempDir
    private Path folder;

    @Test
    void each_route_is_listed_with_its_source_subscription_steps_and_destinations_and_no_secret() throws Exception {
        CommandRun table = routes();
        JsonNode json = routes("--output", "json").json();

        assertThat(table.exit()).as(table.err()).isEqualTo(2); // camel-ftp is missing
        assertThat(table.err()).contains("PROBLEM  orders.camel.yaml:21: route orders: sftp:", "component add ftp");
        assertThat(table.out() + table.err()).doesNotContain("secret-");
        assertThat(table.out())
                .containsPattern("orders +orders.camel.yaml +orders +order\\.\\* +filter")
                .containsPattern("rest +orders.camel.yaml +- \\(direct:rest\\) +- +doTry, doCatch +kafka:orders");
        assertThat(table.out()).contains("Failures are classified by error-handling.camel.yaml (built in).");
        assertThat(json.get(0).get("source").asText()).isEqualTo("dead-letter.camel.yaml (built in)");
        JsonNode orders = json.get(1);
        assertThat(orders.get("subscription").asText()).isEqualTo("orders");
        assertThat(orders.get("steps").toString())
                .isEqualTo(
                        "[\"filter ${header.type} != 'order.draft'\",\"setHeader\",\"choice\",\"when ${body} == ''\","
                                + "\"otherwise\"]");
        assertThat(orders.get("destinations").toString())
                .startsWith("[\"http:{{orders.host}}/orders\",\"sftp://user:")
                .endsWith("@files.example.com/orders\",\"kafka:empty\",\"direct:rest\"]");
        assertThat(json.get(2).get("subscription").isNull()).isTrue();
        assertThat(json.get(2).get("steps").toString()).isEqualTo("[\"doTry\",\"doCatch\"]");
        assertThat(json.get(2).get("destinations").toString())
                .isEqualTo("[\"kafka:orders\",\"kafka:copies\",\"kafka:failed\"]");
    }

    private CommandRun routes(String... options) throws Exception {
        Path routes = Files.createDirectories(folder.resolve("routes"));
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTES);
        String config = Files.writeString(
                        folder.resolve("application.properties"), "orders.host = orders.example.com\n")
                .toString();
        return CommandRun.of(List.of("routes", "--config", config), options);
    }
}
