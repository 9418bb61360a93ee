package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.nio.file.Files;
import org.apache.camel.model.ModelCamelContext;
import org.junit.jupiter.api.Test;

/** Changed files with names that another file or the relay has: neither the routes of that file nor its beans change. */
class LiveReloadNamesTest extends LiveReloadFixture {
    @Test
    void a_bean_of_another_file_is_not_replaced() throws Exception {
        folder.write("orders", bean("answers", "java.util.ArrayList") + route("orders", "old"));
        start();
        Object answers = context.getRegistry().lookupByName("answers");

        folder.write("mails", route("mails", "new") + bean("answers", "java.util.LinkedList"));
        assertThat(failure())
                .contains("mails.camel.yaml:11: bean answers has the name of a bean in orders.camel.yaml:2,");
        assertThat(context.getRegistry().lookupByName("answers")).isSameAs(answers);
        assertThat(routes()).containsExactly("orders");

        folder.write("mails", route("mails", "new") + bean("others", "java.util.LinkedList"));
        lookTwice();
        assertThat(routes()).containsExactlyInAnyOrder("orders", "mails");
        assertThat(context.getRegistry().lookupByName("answers")).isSameAs(answers);
    }

    @Test
    void a_bean_of_the_relay_is_not_replaced() throws Exception {
        Object pool = new Object();
        context.getRegistry().bind("dataSource", pool);
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("mails", bean("dataSource", "java.util.ArrayList") + route("mails", "new"));
        assertThat(failure()).contains("mails.camel.yaml:2: bean dataSource would replace the one of the relay");
        assertThat(context.getRegistry().lookupByName("dataSource")).isSameAs(pool);
    }

    @Test
    void a_java_file_does_not_replace_a_bean_of_another_file() throws Exception {
        folder.write("mails", bean("answers", "java.util.ArrayList") + route("mails", "old"));
        start();
        Object answers = context.getRegistry().lookupByName("answers");

        Files.writeString(
                path.resolve("Orders.java"),
                java("\"new\"").replace("from(", "bindToRegistry(\"answers\", new Object()); from("));
        assertThat(failure()).contains("Orders.java:3: bean answers", "mails.camel.yaml:2");
        assertThat(context.getRegistry().lookupByName("answers")).isSameAs(answers);
    }

    @Test
    void a_bean_changes_in_its_own_file_and_moves_to_another_one() throws Exception {
        folder.write("orders", bean("answers", "java.util.ArrayList") + route("orders", "old"));
        folder.write("a", route("a", "old"));
        start();

        folder.write("orders", bean("answers", "java.util.LinkedList") + route("orders", "new"));
        lookTwice();
        assertThat(context.getRegistry().lookupByName("answers")).isInstanceOf(java.util.LinkedList.class);

        folder.write("orders", route("orders", "newer"));
        folder.write("a", bean("answers", "java.util.ArrayDeque") + route("a", "new"));
        lookTwice();
        assertThat(context.getRegistry().lookupByName("answers")).isInstanceOf(java.util.ArrayDeque.class);
        assertThat(answer("orders") + answer("a")).isEqualTo("newernew");

        folder.remove("a");
        folder.write("orders", bean("answers", "java.util.ArrayList") + route("orders", "newest"));
        lookTwice();
        assertThat(answer("orders")).isEqualTo("newest");
    }

    @Test
    void a_bean_stays_in_its_file_if_the_new_version_without_it_is_wrong() throws Exception {
        for (String wrong : new String[] {"direct: {", "direct:orders?tipes=a"}) {
            folder.write("orders", bean("answers", "java.util.ArrayList") + route("orders", "old"));
            folder.write("z", route("z", "old"));
            if (reload == null) {
                start();
            }
            lookTwice();

            folder.write("orders", route("orders", "new").replace("direct:orders", wrong));
            folder.write("z", bean("answers", "java.util.LinkedList") + route("z", "new"));
            lookTwice();

            assertThat(answer("orders") + answer("z")).isEqualTo("oldold");
            assertThat(context.getRegistry().lookupByName("answers")).isInstanceOf(java.util.ArrayList.class);
            assertThat(notLoaded.names()).containsExactlyInAnyOrder("orders.camel.yaml", "z.camel.yaml");
        }
    }

    @Test
    void a_template_of_another_file_is_not_defined_again() throws Exception {
        folder.write("orders", template("old") + route("orders", "old"));
        start();

        folder.write("mails", template("new") + route("mails", "new"));
        assertThat(failure())
                .contains(
                        "mails.camel.yaml:1: routeTemplate answers has the name of a routeTemplate in orders.camel.yaml:1");
        assertThat(((ModelCamelContext) context).getRouteTemplateDefinitions()).hasSize(1);
    }

    @Test
    void an_interception_of_sends_does_not_reach_the_routes_of_other_files() throws Exception {
        folder.write("orders", route("orders", "old") + "        - to: {uri: direct:mails}\n");
        folder.write("mails", route("mails", "sent"));
        start();

        folder.write(
                "others",
                "- interceptSendToEndpoint: {uri: direct:mails, skipSendToOriginalEndpoint: true}\n"
                        + route("others", "new"));
        assertThat(failure()).contains("interceptSendToEndpoint applies to the routes of all files");

        folder.write("orders", route("orders", "new") + "        - to: {uri: direct:mails}\n");
        lookTwice();
        assertThat(answer("orders")).isEqualTo("sent");
        assertThat(routes()).containsExactlyInAnyOrder("orders", "mails");
    }

    private String failure() {
        try (var log = WrittenLog.of(FailedFiles.class)) {
            lookTwice();
            assertThat(log.lines()).hasSize(1);
            return log.lines().get(0);
        }
    }

    private static String bean(String name, String type) {
        return "- beans:\n    - name: %s\n      type: %s\n".formatted(name, type);
    }
}
