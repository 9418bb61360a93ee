package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import org.apache.camel.model.ModelCamelContext;
import org.junit.jupiter.api.Test;

/** Routes, templates and error handling that change, move or disappear with their files. */
class LiveReloadRoutesTest extends LiveReloadFixture {
    @Test
    void two_files_that_change_together_are_both_loaded() throws Exception {
        folder.write("orders", route("orders", "old"));
        folder.write("mails", route("mails", "old"));
        start();

        folder.write("orders", route("orders", "new"));
        folder.write("mails", route("mails", "new"));
        lookTwice();

        assertThat(starts).containsExactlyInAnyOrder("orders", "mails");
        assertThat(answer("orders") + answer("mails")).isEqualTo("newnew");
    }

    @Test
    void a_file_that_begins_with_a_byte_order_mark_is_loaded_at_the_start_and_later() throws Exception {
        folder.write("orders", "\uFEFF" + route("orders", "old"));
        start();
        assertThat(answer("orders")).isEqualTo("old");

        folder.write("orders", "\uFEFF" + route("orders", "new"));
        lookTwice();

        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void routes_start_in_their_startup_order_and_those_that_do_not_start_by_themselves_wait() throws Exception {
        context.setAutoStartupExcludePattern("excl*");
        folder.write("orders", route("orders", "old"));
        start();

        String waits = route("waits", "new").replace("id: waits", "id: waits\n    autoStartup: false");
        String first = route("first", "new").replace("id: first", "id: first\n    startupOrder: 1");
        folder.write("late", route("last", "new") + waits + route("excluded", "new") + first);
        lookTwice();

        assertThat(starts).containsExactly("first", "last");
        context.getRouteController().startRoute("waits");
        assertThat(answer("waits")).isEqualTo("new");
    }

    @Test
    void a_route_that_is_deleted_in_its_file_stops() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("both", route("orders", "old"));
        lookTwice();

        assertThat(routes()).containsExactly("orders");
    }

    @Test
    void a_route_moves_to_another_file() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("both", route("mails", "old"));
        folder.write("a", route("orders", "new"));
        lookTwice();

        assertThat(answer("orders")).isEqualTo("new");
        assertThat(routes()).hasSize(2);
    }

    @Test
    void a_route_that_is_copied_to_another_file_starts_there_when_it_is_deleted_in_the_first() throws Exception {
        folder.write("both", route("orders", "old") + route("mails", "old"));
        start();

        folder.write("a", route("orders", "new"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("old");

        folder.write("both", route("mails", "old"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_change_of_the_error_handling_applies_to_all_routes() throws Exception {
        folder.write(
                "orders", route("orders", "old").replace("constant", "simple").replace("old", "${body.none}"));
        folder.write("errors", errorHandling("first"));
        start();
        assertThat(answer("orders")).isEqualTo("first");

        folder.write("errors", errorHandling("second"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("second");

        folder.write("errors", errorHandling("third").replace("onException", "onExeption"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("second");
    }

    @Test
    void a_changed_template_replaces_the_previous_one() throws Exception {
        folder.write("templates", template("old"));
        start();

        folder.write("templates", template("new"));
        lookTwice();

        assertThat(((ModelCamelContext) context).getRouteTemplateDefinitions())
                .singleElement()
                .satisfies(template ->
                        assertThat(template.getRoute().getOutputs()).asString().contains("new"));
    }

    @Test
    void a_changed_route_of_a_template_is_reported_and_not_counted_as_loaded() throws Exception {
        folder.write("orders", template("old") + templatedRoute());
        start();

        try (var log = WrittenLog.of(FailedFiles.class)) {
            folder.write("orders", template("new") + templatedRoute());
            lookTwice();
            assertThat(log.lines()).singleElement().asString().contains("restart the relay");
        }

        assertThat(answer("orders")).isEqualTo("old");
    }

    private static String templatedRoute() {
        return """
                - templatedRoute:
                    routeTemplateRef: answers
                    routeId: orders
                    parameters:
                      - name: name
                        value: orders
                """;
    }

    private static String errorHandling(String answer) {
        return """
                - routeConfiguration:
                    onException:
                      - onException:
                          exception:
                            - java.lang.Exception
                          handled:
                            constant:
                              expression: "true"
                          steps:
                            - setBody:
                                expression:
                                  constant:
                                    expression: "%s"
                """.formatted(answer);
    }
}
