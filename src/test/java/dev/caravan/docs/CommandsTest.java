package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.caravan.cli.Caravan;
import dev.caravan.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The commands in the pages and in the texts of alerts are those of the program. */
class CommandsTest {
    /** Shared, because creating it takes longer than parsing a command with it. */
    private static final CommandLine CARAVAN = make();

    private static final Pattern INLINE = Pattern.compile("`(?:\\./|bin/)caravan( [^`]*)?`");
    private static final Pattern IN_A_BLOCK =
            Pattern.compile("(?m)^(?:\\w+=\\S+ )*(?:\\./|\\S*bin/)caravan( [^#\\n]*)?");

    private static final Pattern OPERATION =
            Pattern.compile("^(subscriptions|retries|dead-letters|bulk-retries|jobs|partitions|audit) ");
    private static final Pattern NEEDS_A_FILE = Pattern.compile("--(context|edit|payload-file) ");
    /** The pages that are read first, and what Prometheus sends. */
    private static final Set<String> FIRST_PAGES =
            Set.of("README.md", "docs/commands.md", "docs/monitoring/alerts.yaml");

    private static final String NO_DATABASE = "caravan.db.url=jdbc:postgresql://localhost:1/none";

    @TempDir
    private Path folder;

    static Stream<String> commands() {
        return commandsOf(page -> true);
    }

    private static Stream<String> commandsOf(Predicate<DocsPage> pages) {
        return Stream.concat(DocsPage.all().stream(), Stream.of(alerts()))
                .filter(pages)
                .flatMap(page -> Stream.concat(
                        arguments(INLINE, page.text()),
                        page.blocks("sh").stream().flatMap(block -> arguments(IN_A_BLOCK, block))))
                .distinct();
    }

    static Stream<String> operations() {
        return operationsOf(page -> FIRST_PAGES.contains(page.toString()));
    }

    static Stream<String> moreOperations() {
        Set<String> more = operationsOf(page -> true).collect(Collectors.toCollection(TreeSet::new));
        operations().forEach(more::remove);
        return more.stream();
    }

    /** The commands of an operator that need nothing but the database, and end. */
    private static Stream<String> operationsOf(Predicate<DocsPage> pages) {
        return commandsOf(pages)
                .filter(OPERATION.asPredicate())
                .filter(NEEDS_A_FILE.asPredicate().negate());
    }

    /** As Prometheus sends them. */
    private static DocsPage alerts() {
        DocsPage rules = DocsPage.read("docs/monitoring/alerts.yaml");
        return new DocsPage(
                rules.path(),
                rules.text()
                        .replace("{{ $labels.subscription }}", "booking-sms")
                        .replace("{{ $labels.intake }}", "shop"));
    }

    private static Stream<String> arguments(Pattern command, String text) {
        return command.matcher(text)
                .results()
                .map(found -> found.group(1) == null ? "" : found.group(1).strip());
    }

    @Test
    void readme_begins_with_the_demo_and_leads_to_a_relay() {
        assertThat(commands()).contains("demo", "schema apply", "run");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_command_in_the_pages_is_understood(String arguments) {
        assertThatCode(() -> CARAVAN.parseArgs(words(arguments)))
                .as("./caravan %s", arguments)
                .doesNotThrowAnyException();
    }

    /** Notices usage errors that parsing does not, such as a change that names no messages and has no {@code --all}. */
    @ParameterizedTest
    @MethodSource("operations")
    void an_operation_in_the_first_pages_fails_only_because_there_is_no_database(String arguments) throws IOException {
        assertNeedsOnlyADatabase(arguments);
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("moreOperations")
    void an_operation_in_other_pages_fails_only_because_there_is_no_database(String arguments) throws IOException {
        assertNeedsOnlyADatabase(arguments);
    }

    private void assertNeedsOnlyADatabase(String arguments) throws IOException {
        Path config = Files.writeString(folder.resolve("none.properties"), NO_DATABASE);

        CommandRun run = CommandRun.of(words(arguments + " --config " + config));

        assertThat(run.err()).startsWith("Could not connect");
    }

    @Test
    void the_page_of_commands_lists_every_command_and_no_other() throws Exception {
        Set<String> listed = DocsPage.read("docs/commands.md").rows("## Commands").stream()
                .map(row -> row.get(0).replaceFirst("^\\./caravan ", ""))
                .collect(Collectors.toSet());

        assertThat(listed.stream().map(CommandsTest::command)).hasSameElementsAs(leaves("", CARAVAN));
    }

    private static String command(String arguments) {
        var parsed = CARAVAN.parseArgs(words(arguments));
        StringBuilder names = new StringBuilder();
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
            names.append(' ').append(parsed.commandSpec().name());
        }
        return names.toString();
    }

    static Set<String> leaves(String path, CommandLine command) {
        Set<String> leaves = new TreeSet<>();
        command.getSubcommands().forEach((name, sub) -> {
            String full = path + " " + name;
            leaves.addAll(sub.getSubcommands().isEmpty() ? Set.of(full) : leaves(full, sub));
        });
        return leaves;
    }

    private static CommandLine make() {
        try {
            return caravan();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String[] words(String arguments) {
        return DocsPage.words(arguments).toArray(String[]::new);
    }

    /** The commands as the program makes them; no part of what other packages may use. */
    static CommandLine caravan() throws ReflectiveOperationException {
        Class<?> relayStart = Class.forName("dev.caravan.cli.RelayStart");
        var make = Caravan.class.getDeclaredMethod("commandLine", relayStart);
        make.setAccessible(true);
        var real = relayStart.getDeclaredField("REAL");
        real.setAccessible(true);
        return (CommandLine) make.invoke(null, real.get(null));
    }
}
