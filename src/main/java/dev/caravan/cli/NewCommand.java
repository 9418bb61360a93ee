package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.NearestName;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.draft.Destination;
import dev.caravan.routes.draft.Draft;
import dev.caravan.routes.draft.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan new}: writes a route file for a common destination. */
@Command(
        name = "new",
        sortOptions = false,
        description = {
            "Write a small route file for a destination into the routes folder, and a file with its settings beside it.",
            "Asks on a terminal for what is not given as an option. Overwrites nothing, sends nothing, and needs no database.",
            "Then checks the route and says what is still missing. A running relay loads a new route by itself, but reads settings"
                    + " only at start.",
            "Exit code: 0 the route can run, 1 the check found a problem or the route could not be written, 2 usage error. A route"
                    + " that was written is kept."
        })
final class NewCommand implements Callable<Integer> {
    private static final Table<Destination> DESTINATIONS = new Table<Destination>()
            .column("DESTINATION", Destination::id)
            .column("WRITES", Destination::description)
            .column(
                    "REQUIRED OPTIONS",
                    each -> each.required().map(Question::option).collect(Collectors.joining(" ")))
            .column("COMPONENT TO ADD", each -> each.component().orElse(""));

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions options;

    @Parameters(paramLabel = "NAME", arity = "0..1", description = "Name of the route, its subscription and its files.")
    private String name;

    @Option(names = "--to", paramLabel = "DESTINATION", description = "The destination; --list shows all.")
    private String to;

    @Option(names = "--list", description = "List the destinations with the options that each requires.")
    private boolean list;

    @Option(
            names = {"--print", "--dry-run"},
            description = "Print the files instead of writing them.")
    private boolean print;

    @Option(names = "--type", paramLabel = "TYPES", description = "Types of the messages: order.placed or order.*")
    private String type;

    @Option(names = "--url", paramLabel = "URL", description = "For webhook and http: the receiver.")
    private String url;

    @Option(names = "--topic", paramLabel = "TOPIC", description = "For kafka.")
    private String topic;

    @Option(names = "--table", paramLabel = "TABLE", description = "For sql.")
    private String table;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "For sqs and amqp.")
    private String queue;

    @Option(names = "--bucket", paramLabel = "BUCKET", description = "For s3.")
    private String bucket;

    @Option(names = "--folder", paramLabel = "FOLDER", description = "For file: the folder of the files.")
    private String folder;

    @Option(names = "--from", paramLabel = "SENDER", description = "For email and sms: the address of the sender.")
    private String from;

    @Option(
            names = "--recipient",
            paramLabel = "TEMPLATE",
            description =
                    "For email and sms. Default: $${customer.email} or $${customer.phone}, fields of the payload.")
    private String recipient;

    @Option(names = "--subject", paramLabel = "TEMPLATE", description = "For email.")
    private String subject;

    @Option(names = "--text", paramLabel = "TEMPLATE", description = "For email, sms and slack.")
    private String text;

    @Override
    public Integer call() throws Exception {
        if (list) {
            options.print(DESTINATIONS.text(List.of(Destination.values())));
            return 0;
        }
        requireName();
        Prompt prompt = Prompt.onConsole(spec.commandLine());
        Destination destination = destination(prompt);
        Draft draft = Draft.of(name, destination, answers(destination, prompt));
        if (print) {
            String files = draft.settings().isEmpty() ? draft.route() : draft.route() + "---\n" + draft.settings();
            options.print(files.stripTrailing());
            return 0;
        }
        Path routes = Path.of(options.ofRelay().text("caravan.routes", "routes"));
        List<Path> files = write(draft, routes);
        options.print("Wrote " + files.stream().map(Path::toString).collect(Collectors.joining(" and ")) + ".");
        return report(draft, destination, routes) ? 0 : 1;
    }

    private void requireName() {
        if (name == null) {
            throw options.wrong("Missing parameter: NAME, for example order-webhook.");
        } else if (!Draft.isName(name)) {
            throw options.wrong(
                    "NAME must consist of lower-case letters, digits and -, begin with a letter, and have at most 63"
                            + " characters: " + name);
        }
    }

    private Destination destination(Prompt prompt) {
        String known = Destination.ids().collect(Collectors.joining(", "));
        String id = to != null
                ? to
                : prompt.answer("Destination (" + known + ")", "")
                        .orElseThrow(() -> options.wrong("Missing option: --to DESTINATION, one of " + known + "."));
        return Destination.of(id)
                .orElseThrow(() -> options.wrong("Unknown destination " + id
                        + NearestName.to(id, Destination.ids().collect(Collectors.toSet()))
                                .map(near -> ", did you mean " + near + "?")
                                .orElse(".")
                        + " Known: " + known
                        + ". For others write a route with a component of Camel: docs/routes.md."));
    }

    private Map<Question, String> answers(Destination destination, Prompt prompt) {
        Map<Question, String> given = given();
        given.keySet().stream()
                .filter(question -> !destination.questions().contains(question))
                .findFirst()
                .ifPresent(question -> {
                    throw options.wrong(question.option() + " is not used with --to " + destination.id() + ".");
                });
        Map<Question, String> answers = new TreeMap<>();
        List<Question> missing = new ArrayList<>();
        for (Question question : destination.questions()) {
            Optional<String> answer = given.containsKey(question)
                    ? Optional.of(given.get(question))
                    : prompt.answer(question.prompt(), destination.suggestion(question));
            answer.filter(text -> !question.accepts(text)).ifPresent(text -> {
                throw options.wrong(question.option() + " must " + question.rule() + ", got " + text);
            });
            answer.ifPresentOrElse(text -> answers.put(question, text), () -> missing.add(question));
        }
        if (!missing.isEmpty()) {
            throw options.wrong(missing(missing));
        }
        return answers;
    }

    private static String missing(List<Question> questions) {
        return questions.stream()
                .map(question -> question.option() + " (" + question.prompt() + ")")
                .collect(Collectors.joining(
                        ", ", questions.size() == 1 ? "Missing option: " : "Missing options: ", "."));
    }

    private Map<Question, String> given() {
        Map<Question, String> given = new TreeMap<>();
        for (Question question : Question.values()) {
            String value = spec.findOption(question.option()).getValue();
            if (value != null) {
                given.put(question, value);
            }
        }
        return given;
    }

    private static List<Path> write(Draft draft, Path routes) throws IOException {
        Map<Path, String> texts = new TreeMap<>();
        texts.put(routes.resolve(draft.name() + ".camel.yaml"), draft.route());
        if (!draft.settings().isEmpty()) {
            texts.put(routes.resolve(draft.name() + ".properties"), draft.settings());
        }
        if (!Files.isDirectory(routes)) {
            throw new CommandFailure("Could not write the route: the folder " + routes.toAbsolutePath()
                    + " does not exist. Nothing was written. Create it, or set caravan.routes (CARAVAN_ROUTES).");
        }
        for (Path file : texts.keySet()) {
            if (Files.exists(file)) {
                throw new CommandFailure(file + " already exists. Nothing was written. Choose another name.");
            }
        }
        List<Path> written = new ArrayList<>();
        List<Path> order = new ArrayList<>(texts.keySet());
        order.sort((one, other) -> other.compareTo(one)); // the settings before the route that a running relay loads
        for (Path file : order) {
            Files.writeString(file, texts.get(file), StandardOpenOption.CREATE_NEW);
            written.add(0, file);
        }
        return written;
    }

    /** Prints what is missing and what to do next. @return whether the check found no problem */
    private boolean report(Draft draft, Destination destination, Path routes) throws Exception {
        Settings settings = options.ofRelay();
        List<String> missing = new ArrayList<>();
        draft.unset(settings)
                .forEach((setting, variable) -> missing.add("the setting " + setting
                        + ": set the environment variable " + variable + ", or write the value into "
                        + routes.resolve(name + ".properties")));
        List<CheckResult> findings = new ArrayList<>();
        try (Configuration configuration = new Configuration(settings, Relay.settings())) {
            destination
                    .component()
                    .filter(component -> configuration.camel().getComponent(component) == null)
                    .ifPresent(component ->
                            missing.add("the component " + component + ": ./caravan component add " + component));
            for (CheckResult finding : configuration.findings()) {
                if (finding.name().startsWith(name + ".camel.yaml")) {
                    findings.add(finding);
                }
            }
        }
        if (!missing.isEmpty()) {
            options.print("Still missing:\n- " + String.join("\n- ", missing));
        }
        findings.forEach(finding -> options.print(
                "check: " + (finding.ok() ? "ok" : "PROBLEM") + "  " + finding.name() + ": " + finding.text()));
        boolean ok = findings.stream().allMatch(CheckResult::ok);
        if (!ok) {
            options.print("The route cannot run yet. Its files are kept: supply what is missing, or correct them.");
        }
        if (!draft.settings().isEmpty()) {
            options.print("A relay that is running reads the new settings when it is started again.");
        }
        options.print("Try it, nothing is sent: ./caravan try " + routes.resolve(name + ".camel.yaml") + " --samples");
        options.print("Check all routes: ./caravan check");
        options.print("Test it in the build of your team: docs/testing-routes.md");
        return ok;
    }
}
