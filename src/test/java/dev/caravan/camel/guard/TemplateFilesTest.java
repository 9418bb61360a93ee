package dev.caravan.camel.guard;

import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.test.RouteTest;
import dev.caravan.test.TestedMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes with a template file for each message type. */
class TemplateFilesTest {
    private static final String SMS = """
            - to:
                uri: sms:gateway
                parameters: {url: "https://sms.example.com", from: "+15005550006", to: "${phone}", text: "file:sms/${header.type}.txt"}
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.createDirectory(folder.resolve("sms"));
        template("sms/booking.confirmed.txt", "Confirmed: ${seats}\n");
        template("secret.txt", "secret");
    }

    private void template(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private RouteTest routes(String types, String steps) throws IOException {
        return RouteTest.of(route(types, steps).toString()).build();
    }

    private Path route(String types, String steps) throws IOException {
        return Files.writeString(folder.resolve("test.camel.yaml"), """
                - route:
                    id: test
                    from:
                      uri: outbox:test
                      parameters: {types: "%s"}
                      steps:
                """.formatted(types) + steps.indent(8));
    }

    private static TestedMessage send(RouteTest routes, String type) {
        return routes.send(message(type).payload("{\"phone\": \"+15550100001\", \"seats\": 2}"));
    }

    @Test
    void each_type_has_its_own_text_without_the_last_line_break() throws Exception {
        template("sms/booking.cancelled.txt", "Cancelled\r\n");
        try (RouteTest routes = routes("booking.confirmed,booking.cancelled", SMS)) {
            assertThat(send(routes, "booking.confirmed")
                            .assertDelivered()
                            .http()
                            .text())
                    .endsWith("&Body=Confirmed%3A+2");
            assertThat(send(routes, "booking.cancelled")
                            .assertDelivered()
                            .http()
                            .text())
                    .endsWith("&Body=Cancelled");
        }
    }

    @Test
    void all_files_that_are_missing_or_wrong_are_named_when_the_route_starts() throws Exception {
        template("sms/order.placed.txt", "${");
        try (RouteTest routes =
                routes("booking.confirmed,booking.cancelled, order.*, refund.*,a/../../secret,..", SMS)) {
            assertThatThrownBy(() -> send(routes, "booking.confirmed"))
                    .hasMessageContainingAll(
                            "route test: step to: there is no template file sms/booking.cancelled.txt",
                            "order.placed.txt is invalid: line 1: ${ has no }",
                            "there is no template file sms/refund.*.txt",
                            "the type a/../../secret cannot be part of the name of a template file",
                            "the type .. cannot be part of the name of a template file")
                    .hasMessageNotContaining("sms/booking.confirmed.txt");
        }
    }

    @Test
    void a_message_whose_type_has_no_file_is_dead() throws Exception {
        try (RouteTest routes = routes("booking.*", SMS)) {
            send(routes, "booking.moved").assertDead().assertReason("There is no template file sms/booking.moved.txt");

            template("sms/booking.moved.txt", "Moved");

            send(routes, "booking.moved").assertDelivered();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret",
                "..",
                "booking.confirmed/../../secret",
                "booking..confirmed",
                ".booking",
                "booking confirmed",
                "booking\\confirmed",
                "booking\u0000",
                "C:booking"
            })
    void a_type_names_no_other_file(String type) throws Exception {
        try (RouteTest routes = routes("*", SMS.replace("sms/${header.type}", "${header.type}"))) {
            assertThat(send(routes, "secret").assertDelivered().http().text()).endsWith("secret");
            send(routes, type.replace("\u0000", "\u0001")).assertDead().assertReason("cannot be part of the name");
        }
    }

    @Test
    void a_language_reads_the_file_of_the_type_too() throws Exception {
        String body = """
                - setBody:
                    expression: {language: {language: json-template, expression: "file:${header.type}/body.json"}}
                - to:
                    uri: kafka:bookings
                """;
        Files.createDirectory(folder.resolve("booking.confirmed"));
        template("booking.confirmed/body.json", "{\"booked\": ${seats}}");

        try (RouteTest routes = routes("booking.*", body)) {
            assertThat(send(routes, "booking.confirmed")
                            .assertDelivered()
                            .kafka()
                            .text())
                    .isEqualTo("{\"booked\": 2}");
        }
        try (RouteTest routes = routes("refund.*", body)) {
            assertThatThrownBy(() -> send(routes, "refund.made"))
                    .hasMessageContaining("step setBody: there is no template file refund.*/body.json");
        }
    }

    @Test
    void a_file_that_a_setting_names_is_checked_too() throws Exception {
        for (String step : List.of(SMS.replace("file:sms/${header.type}.txt", "{{text}}"), """
                - setBody: {expression: {language: {language: text-template, expression: "{{text}}"}}}
                - to: {uri: kafka:bookings}
                """)) {
            Path route = route("refund.made", step);
            try (RouteTest routes = RouteTest.of(route.toString())
                    .property("text", "file:sms/${header.type}.txt")
                    .build()) {
                assertThatThrownBy(() -> send(routes, "refund.made"))
                        .hasMessageContaining("there is no template file sms/refund.made.txt");
            }
        }
    }

    @Test
    void a_step_that_not_each_type_reaches_is_not_checked() throws Exception {
        String choice = """
                - filter:
                    expression: {simple: {expression: "${header.type} == 'booking.confirmed'"}}
                    steps:
                """ + SMS.indent(6);

        try (RouteTest routes = routes("booking.*,order.placed", choice)) {
            send(routes, "booking.confirmed").assertDelivered();
        }
    }

    @Test
    void another_name_than_that_of_the_type_is_refused() throws Exception {
        try (RouteTest routes = routes("booking.confirmed", SMS.replace("header.type", "customer.language"))) {
            assertThatThrownBy(() -> send(routes, "booking.confirmed"))
                    .hasMessageContaining("the name of a file can contain only ${header.type}, and only once");
        }
    }
}
