package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.component.FileRepository;
import dev.caravan.routes.component.RelayLibraries;
import dev.caravan.routes.component.RepositoryServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on the folder lib, with repositories that the test creates. */
class ComponentCommandTest {
    private static final Map<String, String> RELAY = RelayLibraries.read().versions();
    private static final String CAMEL = RelayLibraries.read().camelVersion();
    private static final String QUEUE = "org.apache.camel:camel-queue:" + CAMEL;
    private static final String TOPIC = "org.apache.camel:camel-topic:" + CAMEL;
    private static final String CLIENT = "com.example:client:2.1";
    private static final String WIRE = "com.example:wire:1.0";

    @TempDir
    private Path folder;

    private Path lib;
    private String config;
    private FileRepository repository;

    @BeforeEach
    void prepare() throws IOException {
        lib = folder.resolve("lib");
        Files.createDirectory(folder.resolve("routes"));
        config = Files.writeString(folder.resolve("application.properties"), "").toString();
        repository = new FileRepository(Files.createDirectory(folder.resolve("repository")))
                .with(WIRE)
                .with(CLIENT, WIRE, "org.slf4j:slf4j-api:1.7.36")
                .with(QUEUE, CLIENT, "org.apache.camel:camel-support:" + CAMEL)
                .with(TOPIC, WIRE);
    }

    @Test
    void a_component_is_added_with_what_the_relay_does_not_have() throws Exception {
        CommandRun add = add("queue");

        assertThat(add.err()).isEmpty();
        assertThat(add.out())
                .contains("camel-queue-" + CAMEL + ".jar, client-2.1.jar, wire-1.0.jar. Restart the relay");
        assertThat(files()).containsOnlyKeys("camel-queue-" + CAMEL + ".jar", "client-2.1.jar", "wire-1.0.jar");
        assertThat(component("list").out()).contains("queue", QUEUE, "3");
    }

    @Test
    void optional_dependencies_are_not_added() throws Exception {
        repository.withOptional("com.example:driver:1.0", WIRE);

        assertThat(add("com.example:driver:1.0").err()).isEmpty();

        assertThat(files()).containsOnlyKeys("driver-1.0.jar");
    }

    @Test
    void what_is_added_twice_is_changed_once() throws Exception {
        add("queue");
        Map<String, String> before = files();

        CommandRun again = add("queue");

        assertThat(again.out()).contains("Nothing was changed");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void remove_deletes_what_nothing_else_needs() throws Exception {
        add("queue", "topic");
        Files.copy(repository.jar(WIRE), lib.resolve("by-hand.jar"));

        CommandRun first = component("remove", "queue");
        assertThat(first.out()).contains("Removed queue: deleted 2 jars");
        assertThat(files()).containsOnlyKeys("camel-topic-" + CAMEL + ".jar", "wire-1.0.jar", "by-hand.jar");
        component("remove", "topic");
        assertThat(files()).containsOnlyKeys("by-hand.jar");

        component("remove", "topic").assertFailed("Could not remove topic: it was not added. Added are: none");
    }

    @Test
    void two_versions_of_one_artifact_are_refused_and_the_component_that_has_the_other_is_named() throws Exception {
        repository.with("com.example:wire:2.0").with("org.apache.camel:camel-other:" + CAMEL, "com.example:wire:2.0");
        add("queue", "topic");
        Map<String, String> before = files();

        add("other")
                .assertFailed(
                        "it needs wire-2.0.jar, and lib has wire-1.0.jar for queue, topic", "Nothing was changed");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    @Tag("long")
    void components_share_the_later_of_two_compatible_versions() throws Exception {
        repository
                .with("com.example:wire:1.10")
                .with("org.apache.camel:camel-newer:" + CAMEL, "com.example:wire:1.10")
                .with("com.example:wire:1.9")
                .with("org.apache.camel:camel-older:" + CAMEL, "com.example:wire:1.9");
        add("topic");

        add("newer");
        add("older");

        assertThat(files())
                .containsOnlyKeys(
                        "camel-topic-" + CAMEL + ".jar",
                        "camel-newer-" + CAMEL + ".jar",
                        "camel-older-" + CAMEL + ".jar",
                        "wire-1.10.jar");
        component("remove", "newer", "older");
        assertThat(files()).containsOnlyKeys("camel-topic-" + CAMEL + ".jar", "wire-1.10.jar");
        assertThat(component("check").out()).doesNotContain("lacks");
    }

    @Test
    @Tag("long")
    void a_library_that_the_relay_has_in_an_incompatible_version_is_refused_and_an_older_one_is_noted()
            throws Exception {
        repository.with("com.example:old:1.0", "org.apache.kafka:kafka-clients:2.8.0");
        repository.with("com.example:newer:1.0", "org.slf4j:slf4j-api:2.9.0");

        CommandRun refused = add("com.example:old:1.0");
        CommandRun noted = add("com.example:newer:1.0");

        assertThat(refused.err())
                .contains("it needs org.apache.kafka:kafka-clients 2.8.0, and the relay has "
                        + RELAY.get("org.apache.kafka:kafka-clients") + ", which takes precedence");
        assertThat(noted.out())
                .contains("Note: newer needs org.slf4j:slf4j-api 2.9.0; the relay has "
                        + RELAY.get("org.slf4j:slf4j-api") + ", which is used");
        assertThat(files()).containsOnlyKeys("newer-1.0.jar");
    }

    @Test
    void what_the_relay_has_is_not_added() {
        assertThat(add("kafka").err())
                .contains("Could not add org.apache.camel:camel-kafka:" + CAMEL + ": the relay contains it, in");
        assertThat(add("Kafka!").err()).contains("is neither the name of a Camel component, such as aws2-sqs");
    }

    @Test
    void a_name_that_is_not_found_is_answered_with_the_right_one() {
        assertThat(add("aws2-s4").err()).contains("Nothing was changed. Did you mean aws2-s3? Check the name");
        assertThat(add("sftp").err()).contains("sftp is part of camel-ftp: ./caravan component add ftp. ");
        assertThat(add("amqp").err())
                .contains("Nothing was changed. Check the name, the version and the network")
                .doesNotContain("Did you mean");
        assertThat(add("com.example:aws2-s4:1.0").err()).doesNotContain("Did you mean");
    }

    @Test
    @Tag("long")
    void another_version_of_an_own_jar_replaces_the_one_before() throws Exception {
        repository.with("com.example:stamps:1.0", WIRE).with("com.example:stamps:1.1", CLIENT);
        add("com.example:stamps:1.0");

        assertThat(add("com.example:stamps:1.1").err()).isEmpty();

        assertThat(files()).containsOnlyKeys("stamps-1.1.jar", "client-2.1.jar", "wire-1.0.jar");
        component("remove", "com.example:stamps").assertDone();
        assertThat(files()).isEmpty();
    }

    @Test
    @Tag("long")
    void a_jar_that_was_put_there_by_hand_is_neither_replaced_nor_duplicated() throws Exception {
        Files.createDirectory(lib);
        Files.writeString(lib.resolve("wire-1.0.jar"), "mine");
        assertThat(add("topic").err()).contains("lib has another file of this name, put there by hand");
        Files.move(lib.resolve("wire-1.0.jar"), lib.resolve("wire-0.9.jar"));
        assertThat(add("topic").err()).contains("it needs wire-1.0.jar, and lib has wire-0.9.jar, put there by hand");

        assertThat(files()).containsOnlyKeys("wire-0.9.jar");
    }

    @Test
    void a_content_with_a_wrong_checksum_is_refused() throws Exception {
        Path jar = repository.jar(WIRE);
        Files.writeString(jar.resolveSibling(jar.getFileName() + ".sha1"), "0".repeat(40));

        CommandRun refused = add("topic");

        assertThat(refused.err()).contains("the checksum of", "wire-1.0.jar does not match its content");
        assertThat(files()).isEmpty();
    }

    @Test
    void a_mirror_that_fails_in_the_middle_changes_nothing_and_the_next_attempt_succeeds() throws Exception {
        String url;
        try (var mirror = new RepositoryServer(repository, request -> true)) {
            url = mirror.url();
            mirror.answers.put("wire-1.0.jar", 500);
            component("add", "queue", "--repository", url)
                    .assertFailed("Could not add " + QUEUE, "wire", "500", url, "Nothing was changed");
            assertThat(files()).isEmpty();

            mirror.answers.clear();
            assertThat(component("add", "queue", "--repository", url).err()).isEmpty();
            assertThat(files()).hasSize(3);
        }
        assertThat(component("add", "topic", "--repository", url).err())
                .as("no network")
                .contains("Could not add " + TOPIC, url.replace("http://", ""), "refused", "--from a folder of files");
    }

    @Test
    @Tag("long")
    void a_folder_that_cannot_be_written_is_named() throws Exception {
        Files.createDirectory(folder.resolve("target"));
        Files.writeString(lib, "a file where the folder should be");

        add("topic").assertFailed("Could not add " + TOPIC, lib.toString(), "Nothing was changed");
    }

    @Test
    void check_names_a_component_that_lacks_a_jar_or_is_of_another_version_of_camel() throws Exception {
        repository.with("org.apache.camel:camel-elder:4.0.0");
        add("queue", "org.apache.camel:camel-elder:4.0.0");
        Files.delete(lib.resolve("client-2.1.jar"));

        String check = component("check").out();

        assertThat(check)
                .contains("queue: lacks client-2.1.jar. Add it again: ./caravan component add queue")
                .contains("elder: is of Camel 4.0.0, and the relay has Camel " + CAMEL
                        + ". Replace it: ./caravan component add elder");
        add("queue");
        assertThat(component("check").out()).doesNotContain("lacks");
    }

    @Test
    @Tag("long")
    void a_list_that_was_damaged_is_not_overwritten() throws Exception {
        add("queue");
        Files.writeString(lib.resolve("components.json"), "{");

        assertThat(add("topic").err()).contains("Could not read " + lib.resolve("components.json"), "Restore it");
        assertThat(lib.resolve("components.json")).hasContent("{");
    }

    @Test
    void what_could_be_added_is_listed_with_its_name_in_routes() {
        assertThat(component("list", "--available").out())
                .containsPattern("component +sftp +ftp")
                .containsPattern("dataformat +avro +avro")
                .containsPattern("component +kafka +- \\(the relay has it\\)");
    }

    private CommandRun add(String... names) {
        List<String> arguments = new ArrayList<>(List.of("add"));
        arguments.addAll(List.of(names));
        arguments.addAll(List.of("--from", repository.folder().toString()));
        return component(arguments.toArray(new String[0]));
    }

    private CommandRun component(String... arguments) {
        List<String> all =
                new ArrayList<>(arguments[0].equals("check") ? List.of("check") : List.of("component", arguments[0]));
        all.addAll(List.of(arguments).subList(1, arguments.length));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(new String[0]));
    }

    /** The jars of the folder and a hash of each. Nothing hidden is left but the lock. */
    private Map<String, String> files() throws Exception {
        Map<String, String> files = new TreeMap<>();
        if (!Files.isDirectory(lib)) {
            return files;
        }
        try (var all = Files.list(lib)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                String name = file.getFileName().toString();
                if (!List.of(".lock", "components.json").contains(name)) {
                    files.put(name, new String(RepositoryServer.sha1(file)));
                }
            }
        }
        return files;
    }
}
