package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How changed files of the routes folder are noticed. */
class LiveReloadFilesTest extends LiveReloadFixture {
    @Test
    void a_config_map_that_the_kubelet_swaps_is_loaded() throws Exception {
        folder.swap(Map.of("orders", route("orders", "old"), "mails", route("mails", "old")));
        start();

        folder.swap(Map.of("orders", route("orders", "new"), "mails", route("mails", "old")));
        lookTwice();

        assertThat(starts).containsExactly("orders");
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_leaves_the_config_map_stops_its_route() throws Exception {
        folder.swap(Map.of("orders", route("orders", "old"), "mails", route("mails", "old")));
        start();

        folder.swap(Map.of("orders", route("orders", "old")));
        lookTwice();

        assertThat(routes()).containsExactly("orders");
        assertThat(starts).isEmpty();
    }

    @Test
    void a_file_with_the_name_of_a_built_in_one_replaces_it_until_it_is_removed() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("dead-letter", route("dead-letter", "own"));
        lookTwice();

        assertThat(routes()).containsExactlyInAnyOrder("orders", "dead-letter");
        assertThat(answer("dead-letter")).isEqualTo("own");
        folder.remove("dead-letter");
        folder.write("error-handling", "- routeConfiguration: {onException: []}");
        lookTwice();
        assertThat(routes()).containsExactly("orders");
        assertThat(context.getRoute("dead-letter")).isNotNull();
        assertThat(starts).as("all routes have the new error handling").containsSubsequence("dead-letter", "orders");
        folder.remove("error-handling");
        folder.write("zz", "- routeConfiguration: {id: own, onException: []}");
        folder.write("alerts", route("dead-letter", "alert"));
        lookTwice();
        assertThat(((ModelCamelContext) context).getRouteConfigurationDefinitions())
                .extracting(RouteConfigurationDefinition::getId)
                .as("the clauses of other files take precedence over the built-in ones")
                .containsExactly("own", null);
        assertThat(answer("dead-letter")).as("from a file of another name").isEqualTo("alert");
    }

    @Test
    void a_folder_behind_a_link_that_is_swapped_is_loaded() throws Exception {
        Path first = Files.createDirectory(path.resolve("v1"));
        Path second = Files.createDirectory(path.resolve("v2"));
        new RouteFolder(first).write("orders", route("orders", "old"));
        new RouteFolder(second).write("orders", route("orders", "new"));
        folder = new RouteFolder(Files.createSymbolicLink(path.resolve("current"), first));
        start();

        Files.delete(folder.path());
        Files.createSymbolicLink(folder.path(), second);
        lookTwice();

        assertThat(answer("orders")).isEqualTo("new");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_file_that_is_written_in_place_or_renamed_over_is_loaded_once(boolean inPlace) throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        if (inPlace) {
            folder.write("orders", route("orders", "new"));
        } else {
            folder.replace("orders", route("orders", "new"));
        }
        lookTwice();
        lookTwice();

        assertThat(starts).containsExactly("orders");
        assertThat(answer("orders")).isEqualTo("new");
    }

    @Test
    void a_file_that_is_saved_without_a_change_is_not_loaded() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.replace("orders", route("orders", "old"));
        lookTwice();

        assertThat(starts).isEmpty();
    }

    @Test
    void a_file_is_not_loaded_while_it_is_being_written() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.write("orders", "");
        reload.look();
        folder.write("orders", route("half", "new"));
        reload.look();
        folder.write("orders", route("orders", "new"));
        reload.look();
        assertThat(starts).isEmpty();
        reload.look();

        assertThat(starts).containsExactly("orders");
    }

    @Test
    void a_file_that_is_missing_for_a_moment_keeps_its_route() throws Exception {
        folder.write("orders", route("orders", "old"));
        folder.write("mails", route("mails", "old"));
        start();

        folder.remove("orders");
        reload.look();
        folder.write("orders", route("orders", "old"));
        lookTwice();

        assertThat(starts).isEmpty();
        assertThat(routes()).hasSize(2);
    }

    @Test
    void an_empty_or_missing_folder_stops_nothing() throws Exception {
        folder.write("orders", route("orders", "old"));
        start();

        folder.remove("orders");
        try (var log = WrittenLog.of(LiveReload.class)) {
            lookTwice();
            Files.delete(path);
            lookTwice();
            assertThat(log.lines()).hasSize(2);
        }
        Files.createDirectory(path);
        folder.write("orders", route("orders", "new"));
        lookTwice();

        assertThat(starts).containsExactly("orders");
    }
}
