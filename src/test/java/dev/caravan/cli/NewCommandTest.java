package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.draft.Destination;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NewCommandTest {
    @TempDir
    Path folder;

    private Path routes;
    private Path config;

    @BeforeEach
    void routes() throws IOException {
        routes = Files.createDirectory(folder.resolve("routes"));
        config = Files.writeString(
                folder.resolve("test.properties"),
                "caravan.db.url=jdbc:postgresql://localhost:1/none\ncaravan.routes=" + routes + "\n");
    }

    private CommandRun create(String... arguments) {
        return CommandRun.of(List.of("new", "--config", config.toString()), arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "kafka, --topic orders",
        "http, --url https://example.com/orders",
        "sql, --table sent.orders",
        "file, --folder /tmp/orders",
        "email, --from shop@example.com"
    })
    void a_route_is_written_and_checked(String destination, String options) {
        CommandRun run = create(("order-1 --to " + destination + " --type order.* " + options).split(" "));

        assertThat(run.err()).isEmpty();
        assertThat(run.assertDone(
                                "Wrote " + routes.resolve("order-1.camel.yaml"),
                                "check: ok  order-1.camel.yaml: 1 route",
                                "./caravan try " + routes.resolve("order-1.camel.yaml") + " --samples",
                                "./caravan check")
                        .out())
                .doesNotContain("Still missing");
    }

    @Test
    void what_is_missing_is_listed_and_how_to_get_it() {
        CommandRun run = create("order-1", "--to", "webhook", "--type", "order.*", "--url", "https://example.com/x");

        run.assertFailed();
        assertThat(routes.resolve("order-1.camel.yaml")).exists();
        assertThat(run.out())
                .contains(
                        "Still missing:\n- the setting order-1.secrets: set the environment variable ORDER_1_SECRETS",
                        "check: PROBLEM  order-1.camel.yaml",
                        "the option secrets is missing or empty",
                        "The route cannot run yet. Its files are kept")
                .doesNotContain("the setting order-1.url");
    }

    @Test
    void only_what_is_required_is_missing() {
        assertThat(create("order-1", "--to", "sms", "--type", "order.*", "--from", "+15005550006")
                        .assertEnded(1, "the setting camel.component.sms.url: set the environment variable SMS_URL")
                        .out())
                .doesNotContain("the setting camel.component.sms.user", "the setting camel.component.sms.password");
    }

    @ParameterizedTest
    @CsvSource({"error-handling, 0 routes", "dead-letter, 1 route"})
    void a_built_in_file_is_copied_to_be_changed(String name, String routesOfIt) throws Exception {
        create("order-1", "--to", "kafka", "--type", "order.*", "--topic", "orders");
        CommandRun run = create(name);
        String check = CommandRun.of("check", "--config", config.toString()).out();

        run.assertDone("Wrote " + routes.resolve(name + ".camel.yaml"), "It replaces the built-in file");
        assertThat(routes.resolve(name + ".camel.yaml"))
                .hasSameTextualContentAs(Path.of("src/main/resources/built-in/" + name + ".camel.yaml"));
        assertThat(check).contains(name + ".camel.yaml: " + routesOfIt + ", replaces the built-in file of this name");
        assertThat(create(name).err()).contains("already exists. Nothing was written");
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080/x, true",
        "https://10.1.2.3, true",
        "http://[::1]/x, true",
        "https://example.com/x, false",
        "https://8.8.8.8/x, false",
        "https://example.com/{x}, false"
    })
    void a_webhook_to_a_private_address_is_allowed_to_send_there(String url, boolean isPrivate) {
        CommandRun run = create("order-1", "--to", "webhook", "--type", "order.*", "--url", url);

        assertThat(routes.resolve("order-1.camel.yaml"))
                .content()
                .contains("allowPrivateAddresses: " + isPrivate + " # true only for a receiver in your own network");
        assertThat(run.out()).doesNotContain("no public address");
    }

    @Test
    void a_component_that_is_missing_is_named_with_the_command_that_adds_it() {
        CommandRun run = create("order-1", "--to", "s3", "--type", "order.*", "--bucket", "orders");

        assertThat(run.out()).contains("- the component aws2-s3: ./caravan component add aws2-s3");
    }

    @Test
    void an_editor_finds_the_schema_of_a_new_route_beside_the_routes_folder() throws Exception {
        create("one", "--to", "kafka", "--topic", "a", "--type", "order.*");
        String line = Files.readAllLines(routes.resolve("one.camel.yaml")).get(0);
        Path schema = routes.resolve(line.replaceFirst("^# yaml-language-server: \\$schema=", ""))
                .normalize();
        byte[] ofCamel =
                getClass().getResourceAsStream("/schema/camelYamlDsl.json").readAllBytes();

        assertThat(schema)
                .isEqualTo(folder.resolve(".schema/camelYamlDsl.json"))
                .hasBinaryContent(ofCamel);

        Files.writeString(schema, "of an earlier version");
        create("two", "--to", "kafka", "--topic", "a", "--type", "order.*");
        assertThat(schema).hasBinaryContent(ofCamel);
    }

    @Test
    void an_existing_file_is_not_overwritten() throws Exception {
        Files.writeString(routes.resolve("order-1.properties"), "mine = 1");

        create("order-1", "--to", "http", "--type", "order.*", "--url", "https://example.com")
                .assertFailed("order-1.properties already exists. Nothing was written");
        assertThat(routes.resolve("order-1.properties")).hasContent("mine = 1");
        assertThat(routes.resolve("order-1.camel.yaml")).doesNotExist();
    }

    @Test
    void print_writes_nothing() {
        CommandRun run = create("order-1", "--to", "kafka", "--type", "order.*", "--topic", "orders", "--print");

        assertThat(run.out()).contains("uri: \"kafka:orders\"");
        assertThat(routes).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order-1 --to kafka --type order.* | Missing option: --topic (Topic).",
                "order-1 --to kafka --topic orders | Missing option: --type",
                "order-1 --to email | Missing options: --type (Types of the messages, for example order.placed or order.*), --from (",
                "order-1 | Missing option: --to DESTINATION, one of webhook, kafka",
                "--to kafka | Missing parameter: NAME",
                "Order/1 --to kafka | The name of a route must consist of lower-case letters",
                "error-handling --to kafka | error-handling is the name of a built-in file. Choose another name",
                "order-1 --to kafak | did you mean kafka? Known: ",
                "order-1 --to carrier-pigeon | Unknown destination carrier-pigeon. Known: ",
                "order-1 --to kafka --type order.* --url https://x.example | --url is not used with --to kafka.",
                "order-1 --to kafka --type order.* --topic a/b | --topic must be 1 to 249 letters, digits, dots, dashes and underscores",
            })
    void what_is_wrong_is_named_and_nothing_is_written(String arguments, String error) {
        create(arguments.split(" ")).assertWrongUse(error);
        assertThat(routes).isEmptyDirectory();
    }

    @Test
    void destinations_are_listed() {
        assertThat(create("--list").out())
                .contains(Destination.ids().toArray(String[]::new))
                .containsPattern("amqp .* --type --queue +amqp")
                .containsPattern("slack .* --type *\n");
    }

    @Test
    void the_files_are_those_of_the_readme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        Matcher command = Pattern.compile("(?m)^\\./caravan new (\\S.*)$").matcher(readme);
        assertThat(command.find()).isTrue();

        create(command.group(1).replace("\"", "").split(" "));

        assertThat(readme)
                .contains("```yaml\n" + Files.readString(routes.resolve("order-webhook.camel.yaml")) + "```")
                .contains("```properties\n" + Files.readString(routes.resolve("order-webhook.properties")) + "```");
    }

    @Test
    void a_terminal_is_asked_and_an_empty_answer_takes_the_suggestion() {
        Prompt prompt = new Prompt(
                true, new StringReader("order.placed\n\n"), Caravan.commandLine((settings, beforeRoutes) -> null));

        assertThat(prompt.answer("Types", "")).contains("order.placed");
        assertThat(prompt.answer("Recipient", "${customer.email}")).contains("${customer.email}");
        assertThat(prompt.answer("Topic", "")).isEmpty();
    }
}
