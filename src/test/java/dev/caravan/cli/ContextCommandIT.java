package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Contexts: databases that a person works with, by name. The outbox of each has one subscription, whose name identifies the database. */
class ContextCommandIT {
    private static final Set<String> READING = Stream.of(
                    "audit list",
                    "bench",
                    "bulk-retries list",
                    "capture check",
                    "capture list",
                    "capture print",
                    "check",
                    "completion",
                    "console",
                    "component add",
                    "component list",
                    "component remove",
                    "context list",
                    "context show",
                    "context use",
                    "dead-letters discarded",
                    "dead-letters export",
                    "dead-letters groups",
                    "dead-letters list",
                    "dead-letters show",
                    "demo",
                    "doctor",
                    "find",
                    "init",
                    "intake check",
                    "intake init",
                    "intake list",
                    "jobs list",
                    "new",
                    "outboxes list",
                    "partitions list",
                    "retries list",
                    "retries show",
                    "routes",
                    "run",
                    "schema print",
                    "status",
                    "subscriptions list",
                    "top",
                    "torture",
                    "try",
                    "why")
            .map(name -> "caravan " + name)
            .collect(Collectors.toSet());

    private static TestOutbox shop;
    private static TestOutbox bank;

    @TempDir
    Path folder;

    private Path file;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeAll
    static void databases() throws Exception {
        shop = outbox("of-shop");
        bank = outbox("of-bank");
    }

    private static TestOutbox outbox(String subscription) throws Exception {
        TestOutbox outbox = TestOutbox.create();
        outbox.execute("insert into outbox_subscription (name, position) values ('" + subscription + "', 0)");
        return outbox;
    }

    @BeforeEach
    void contexts() throws IOException {
        file = folder.resolve("contexts.properties");
        environment.put("CARAVAN_CONFIG", file.toString());
        environment.put("SHOP_PASSWORD", "postgres");
        Path secret = Files.writeString(folder.resolve("bank.secret"), "postgres\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        write(
                "# my databases",
                "shop.url = " + shop.url(),
                "shop.user = postgres",
                "shop.password = env:SHOP_PASSWORD",
                "bank.url = " + bank.url(),
                "bank.user = postgres",
                "bank.password = file:" + secret,
                "bank.confirm = true");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private CommandRun run(String... args) {
        return CommandRun.of(environment, args);
    }

    @Test
    void the_option_names_the_database_before_and_after_the_command() {
        assertThat(run("--context", "shop", "status").out()).contains("of-shop");
        assertThat(run("status", "--context", "bank").out()).contains("of-bank");
        assertThat(run("--context=shop", "status").err()).isEmpty();
    }

    @Test
    void a_context_can_name_the_folder_of_a_postgres_of_a_relay() throws Exception {
        write("local.url = embedded:" + folder.resolve("db"));

        assertThat(run("--context", "local", "status").err()).contains("no Postgres runs in " + folder.resolve("db"));
    }

    @Test
    void the_chosen_context_is_used_until_another_one_is_chosen() throws Exception {
        assertThat(run("context", "use", "shop").out()).contains("Commands use shop (jdbc:postgresql:");
        assertThat(run("status").out()).contains("of-shop");
        run("context", "use", "bank").assertDone();
        assertThat(run("status").out()).contains("of-bank");
        assertThat(Files.readString(file))
                .startsWith("current = bank\n# my databases\nshop.url")
                .doesNotContain("current = shop");
    }

    @Test
    @Tag("long")
    void a_link_to_the_file_remains_a_link() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link.properties"), file);
        environment.put("CARAVAN_CONFIG", link.toString());

        run("context", "use", "shop").assertDone();

        assertThat(link).isSymbolicLink();
        assertThat(file).content().startsWith("current = shop\n");
    }

    @Test
    void an_option_precedes_the_environment_and_that_the_chosen_context() throws Exception {
        run("context", "use", "shop");
        environment.put("CARAVAN_CONTEXT", "bank");
        assertThat(run("context", "use", "shop").out())
                .startsWith("Chose shop (jdbc:postgresql:")
                .contains("Here, commands use bank (jdbc:postgresql:", ", because of CARAVAN_CONTEXT.");
        assertThat(run("status").out()).contains("of-bank");
        assertThat(run("--context", "shop", "status").out()).contains("of-shop");

        String settings = CommandRun.config(folder, shop);
        assertThat(run("status", "--config", settings).out()).contains("of-shop");
        assertThat(run("--context", "bank", "status", "--config", settings).out())
                .contains("of-bank");

        environment.put("DB_URL", shop.url());
        assertThat(run("context", "show").out()).contains("no context, because DB_URL is set");
        environment.put("CARAVAN_DB_URL", shop.url());
        assertThat(run("context", "show").out()).contains("no context, because CARAVAN_DB_URL is set");
        environment.remove("CARAVAN_DB_URL");
        assertThat(run("context", "use", "shop").out())
                .endsWith("Here, commands use no context, because DB_URL is set.\n");
        assertThat(run("--context", "bank", "status").out()).contains("of-bank");
    }

    @Test
    void passwords_are_never_shown() throws Exception {
        environment.put("SHOP_PASSWORD", "a secret");
        String all = run("context", "list").out()
                + run("context", "list", "--output", "json").out()
                + run("context", "show", "shop").out()
                + run("context", "show", "shop", "--output", "json").out()
                + run("--context", "shop", "status").err();
        assertThat(all).contains("env:SHOP_PASSWORD").doesNotContain("a secret");

        write("shop.url = " + shop.url(), "shop.password = a secret");
        assertThat(run("--context", "shop", "status")
                        .assertWrongUse("env:NAME or file:PATH")
                        .err())
                .doesNotContain("a secret");
    }

    @Test
    void list_marks_the_context_that_is_used() throws Exception {
        run("context", "use", "bank");
        JsonNode listed = run("context", "list", "--output", "json").json();

        assertThat(listed.findValuesAsText("name")).containsExactly("bank", "shop");
        assertThat(listed.findValuesAsText("used")).containsExactly("true", "false");
        assertThat(run("context", "show").out()).contains("chosen by context use", "confirm   true");
        environment.put("CARAVAN_CONFIG", folder.resolve("none").toString());
        assertThat(run("context", "list").out()).contains("No contexts in");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "shop.url = postgresql://db/shop | must be a JDBC URL",
                "shop.url = jdbc:postgresql://db/shop?user=a&password=b | must not contain a password",
                "shop.url = jdbc:postgresql://db/shop?sslpassword=b | must not contain a password",
                "shop.url = jdbc:postgresql://anna:geheim@db/shop | must not contain a password",
                "shop.user = anna | shop.url must be",
                "shop.passwrd = x | did you mean password? Nothing",
                "url = jdbc:postgresql://db/shop | must be NAME.FIELD",
                "shop.confirm = yes | shop.url must be"
            })
    void a_wrong_file_is_refused(String line, String why) throws Exception {
        write(line);

        assertThat(run("--context", "shop", "subscriptions", "pause", "of-shop")
                        .assertWrongUse(why)
                        .err())
                .doesNotContain("password=b");
    }

    @Test
    void an_unknown_context_is_refused_with_the_nearest_one() {
        assertThat(run("--context", "shpo", "status").err())
                .contains("There is no context shpo, did you mean shop? Contexts are in");
        assertThat(run("--context", "billing", "status").err())
                .contains("There is no context billing. Contexts are in");
        run("context", "use", "shpo").assertWrongUse();
        environment.remove("SHOP_PASSWORD");
        assertThat(run("--context", "shop", "status").err()).contains("SHOP_PASSWORD, which is not set");
    }

    @Test
    void files_that_others_may_read_or_change_are_reported() throws Exception {
        Files.setPosixFilePermissions(folder.resolve("bank.secret"), PosixFilePermissions.fromString("rw-r-----"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));

        assertThat(run("--context", "bank", "status").assertDone().err())
                .contains(
                        "Other accounts may read the password in",
                        "chmod 600",
                        "Other accounts may write to",
                        "chmod go-w");
        run("context", "use", "bank");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void a_change_in_a_marked_context_is_not_made_without_a_confirmation() throws Exception {
        for (String[] change : new String[][] {
            {"--context", "bank", "subscriptions", "pause", "of-bank"},
            {"--context", "bank", "schema", "apply"},
            {"--context", "bank", "dead-letters", "discard", "--all", "--reason", "x", "--yes"}
        }) {
            run(change).assertWrongUse("in the context bank", "Cannot ask without a terminal. Nothing was changed.");
        }
        assertThat(bank.number("select count(*) from outbox_subscription where paused"))
                .isZero();
        run("--context", "bank", "subscriptions", "pause", "--help").assertDone();
        run("--context", "bank", "dead-letters", "retry", "--all", "--dry-run").assertDone();
        assertThat(run("--context", "bank", "capture", "take-over", "none.yaml", "--status")
                        .err())
                .contains("none.yaml")
                .doesNotContain("Cannot ask");
        run("--context", "shop", "subscriptions", "pause", "of-shop").assertDone();
        run("--context", "shop", "subscriptions", "resume", "of-shop").assertDone();
    }

    @Test
    void a_person_on_a_terminal_is_asked() {
        StringWriter asked = new StringWriter();
        CommandLine line = Caravan.commandLine(RelayStart.REAL, environment).setErr(new PrintWriter(asked, true));
        ParseResult pause = line.parseArgs("--context", "bank", "subscriptions", "pause", "of-bank")
                .subcommand()
                .subcommand();
        OutboxContext context = Contexts.read(environment).named("bank");

        assertThat(ProtectedContext.mayRun(pause, context, new Prompt(true, new StringReader("n\n"), line)))
                .isFalse();
        assertThat(ProtectedContext.mayRun(pause, context, new Prompt(true, new StringReader("y\n"), line)))
                .isTrue();
        assertThat(asked.toString())
                .contains("Run subscriptions pause in the context bank (jdbc:postgresql:")
                .endsWith("? [y/N] ");
        assertThatThrownBy(
                        () -> ProtectedContext.mayRun(pause, context, new Prompt(false, new StringReader("y\n"), line)))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("DB_URL");
    }

    @Test
    void the_example_of_the_page_is_accepted() throws Exception {
        String page = Files.readString(Path.of("docs/contexts.md"));
        write(page.split("```properties\n")[1].split("```")[0]);

        Contexts read = Contexts.read(environment);

        assertThat(read.current()).contains("test");
        assertThat(read.named("prod").confirm()).isTrue();
        assertThat(read.named("prod").password()).contains(new SecretReference("env", "PROD_DB_PASSWORD"));
        assertThat(new SecretReference("env", "PROD").read("prod", Map.of("PROD", "hidden\n")))
                .isEqualTo("hidden");
    }

    @Test
    void commands_about_a_relay_have_no_context() throws Exception {
        run("context", "use", "bank");
        assertThat(run("--context", "bank", "run").err()).contains("Omit --context");
        run("--context", "bank", "check").assertWrongUse();
        assertThat(run("completion", "bash", "--context", "bank").err()).contains("Omit --context");
        // the chosen one does not count either: without a settings file there is nothing to check
        assertThat(run("check", "--config", folder.resolve("none.properties").toString())
                        .err())
                .contains("Could not find the settings file");
    }

    /** A new command belongs to one of both lists, so that it is not missed where a context requires a confirmation. */
    @Test
    void every_command_either_changes_the_database_or_not() {
        Set<String> changing = new TreeSet<>();
        leaves(Caravan.commandLine(RelayStart.REAL, environment), changing);

        assertThat(changing)
                .contains("caravan subscriptions pause", "caravan schema apply", "caravan publish")
                .doesNotContain("caravan status", "caravan schema print", "caravan dead-letters export");
        Set<String> others = new TreeSet<>();
        names(Caravan.commandLine(RelayStart.REAL, environment), others);
        others.removeAll(changing);
        assertThat(others).isEqualTo(READING);
    }

    private static void leaves(CommandLine line, Set<String> changing) {
        line.getSubcommands().values().forEach(sub -> leaves(sub, changing));
        if (line.getSubcommands().isEmpty() && ProtectedContext.changes(line.getCommandSpec())) {
            changing.add(line.getCommandSpec().qualifiedName());
        }
    }

    private static void names(CommandLine line, Set<String> names) {
        line.getSubcommands().values().forEach(sub -> names(sub, names));
        if (line.getSubcommands().isEmpty()) {
            names.add(line.getCommandSpec().qualifiedName());
        }
    }
}
