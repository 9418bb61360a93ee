package dev.caravan.cli;

import dev.caravan.base.message.Message;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Sentence;
import dev.caravan.database.Database;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRun.TriedRoute;
import dev.caravan.routes.tryout.DryRunException;
import dev.caravan.routes.tryout.DryRunOptions;
import dev.caravan.routes.tryout.Secrets;
import dev.caravan.routes.tryout.ShownTrial;
import dev.caravan.routes.tryout.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan try}: shows what a route would send for given messages, and what would happen to them. */
@Command(
        name = "try",
        sortOptions = false,
        description = {
            "Run a route for given messages, and show exactly what it would send and whether the message would be delivered,"
                    + " retried or dead. Nothing is sent or written, and no database is needed.",
            "The file is loaded together with the routes folder, like a file in it: error handling, the route dead-letter and all settings"
                    + " apply as in a relay. Destinations accept everything unless --answer says otherwise. An idempotent"
                    + " repository in the database is replaced by one in memory.",
            "Values of secret settings and environment variables are hidden. Contents of the message are shown.",
            "Examples:",
            "  ./caravan try routes/booking-sms.camel.yaml --samples",
            "  ./caravan try routes/booking-sms.camel.yaml --message message.json --answer 429 --answer-header \"Retry-After: 30\"",
            "  ./caravan try routes/orders-to-kafka.camel.yaml --from-outbox 4711",
            "  ./caravan try routes/orders-to-kafka.camel.yaml --type order.placed --key order/42 --payload '{\"total\": 7}'",
            "Exit code: 0 all messages would be delivered, 1 failed, 2 usage error or a route that cannot start, 3 a message would be"
                    + " retried or wait, 4 a message would become a dead letter, 5 no route reads the type of a message."
        })
final class TryCommand implements Callable<Integer> {
    private static final int RETRIED = 3;
    private static final int DEAD = 4;
    private static final int NOT_READ = 5;

    @Parameters(paramLabel = "ROUTE.yaml", description = "The file of the route.")
    private Path file;

    @Option(names = "--route", paramLabel = "ID", description = "Only this route of the file.")
    private String routeId;

    @Mixin
    private TriedMessages messages;

    @Option(
            names = "--answer",
            paramLabel = "ANSWER",
            description =
                    "The answer of every destination: a status from 200 to 599, timeout, refused or cut. Default: 200")
    private String answer;

    @Option(names = "--answer-header", paramLabel = "NAME: VALUE", description = "A header of that answer.")
    private List<String> answerHeaders = List.of();

    @Option(names = "--answer-body", paramLabel = "TEXT", description = "The body of that answer.")
    private String answerBody = "";

    @Option(
            names = "--send",
            description =
                    "Send to the destinations, and show their answers. Nothing is written to the outbox or to an idempotent repository.")
    private boolean send;

    @Option(names = "--show-secrets", description = "Show credentials instead of •••.")
    private boolean showSecrets;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws Exception {
        requireValidOptions();
        Settings settings = options.settings();
        Set<String> others = requireNoProblem(settings);
        if (!others.isEmpty()) {
            options.report("Left out, because check finds problems in them: " + String.join(", ", others) + ".");
        }
        DryRunOptions run =
                new DryRunOptions(settings).file(file).without(others).answers(sent -> answer());
        if (send) {
            run.sends(Database.forAnyTable(settings)).limit(Duration.ofMinutes(2));
        }
        try (DryRun routes = DryRun.start(run)) {
            return tryMessages(routes, settings);
        } catch (DryRunException e) {
            throw options.wrong(Sentence.of(e.getMessage()) + " Nothing was sent.");
        }
    }

    private void requireValidOptions() {
        if (!Files.isRegularFile(file)) {
            throw options.wrong("Could not find the file " + file + ".");
        }
        messages.requireValid();
        if (send && answer != null) {
            throw options.wrong("--answer and --send cannot be used together: with --send the destinations answer.");
        }
        if (send && messages.areSamples()) {
            throw options.wrong("--send needs a message that you name: --message, --from-outbox or --type.");
        }
        answer();
    }

    private Answer answer() {
        try {
            Answer given = Answer.parse(answer == null ? "200" : answer).withBody(answerBody);
            for (String header : answerHeaders) {
                String[] parts = header.split(":", 2);
                if (parts.length < 2) {
                    throw options.wrong("--answer-header must be NAME: VALUE, got " + header);
                }
                given = given.withHeader(parts[0].strip(), parts[1].strip());
            }
            return given;
        } catch (IllegalArgumentException e) {
            throw options.wrong("--answer " + e.getMessage());
        }
    }

    /** Reports what check finds in the file, if it is in the routes folder. @return the other files with problems */
    private Set<String> requireNoProblem(Settings settings) throws Exception {
        try (Configuration configuration = new Configuration(settings, Relay.settings())) {
            List<CheckResult> problems = configuration.findings().stream()
                    .filter(finding -> !finding.ok() && finding.area().equals("routes"))
                    .toList();
            String name = file.getFileName().toString();
            List<String> ofName = problems.stream()
                    .filter(finding -> fileOf(finding).equals(name))
                    .map(finding -> finding.name() + ": " + finding.text())
                    .toList();
            if (!ofName.isEmpty() && isInRoutesFolder(settings)) {
                throw options.wrong(String.join("\n", ofName) + "\nNothing was sent.");
            }
            Set<String> others =
                    problems.stream().map(TryCommand::fileOf).collect(Collectors.toCollection(TreeSet::new));
            others.remove(name); // replaced by the file that is tried
            return others;
        }
    }

    private boolean isInRoutesFolder(Settings settings) throws IOException {
        Path inFolder = Path.of(settings.text("caravan.routes", "routes")).resolve(file.getFileName());
        return Files.exists(inFolder) && Files.isSameFile(inFolder, file);
    }

    /** The name of the file, without the line number. */
    private static String fileOf(CheckResult finding) {
        return finding.name().replaceFirst(":\\d+$", "");
    }

    private int tryMessages(DryRun run, Settings settings) throws SQLException, IOException {
        List<TriedRoute> routes = routes(run);
        int worst = 0;
        boolean isSent = false;
        List<Object> all = new ArrayList<>();
        for (Message message : messages.of(routes, settings, output.isJson() ? text -> {} : options::print)) {
            List<TriedRoute> readers =
                    routes.stream().filter(route -> route.reads(message.type())).toList();
            if (readers.isEmpty()) {
                worst = Math.max(worst, NOT_READ);
                all.add(notRead(message, routes));
            }
            for (TriedRoute route : readers) {
                Trial trial = attempt(run, route, message);
                worst = Math.max(worst, exitCode(trial));
                isSent |= send && !trial.recorded().isEmpty();
                all.add(shown(ShownTrial.of(trial, showSecrets ? Secrets.shown() : run.secrets())));
            }
        }
        if (output.isJson()) {
            output.print("", all);
        } else {
            options.print((isSent ? "The messages were sent to their destinations." : "Nothing was sent or written.")
                    + (run.rememberedInMemory() ? " Delivered message ids were remembered in memory only." : ""));
        }
        return worst;
    }

    private Trial attempt(DryRun run, TriedRoute route, Message message) {
        if (!send) {
            return run.attempt(route.id(), message);
        }
        String interrupted = "Interrupted while route " + route.id() + " was sending message " + message.messageId()
                + ": it may have arrived. Nothing was written to the outbox.";
        try (Interruption interruption = new Interruption(0, () -> options.report(interrupted))) {
            return run.attempt(route.id(), message);
        }
    }

    private ShownTrial shown(ShownTrial trial) {
        if (!output.isJson()) {
            options.print(TrialText.text(trial, send) + "\n");
        }
        return trial;
    }

    /** A message that no route of the file reads, as JSON has it. */
    private record NotRead(String messageId, String type, String result, String outcome) {}

    private NotRead notRead(Message message, List<TriedRoute> routes) {
        List<String> types = routes.stream()
                .map(route -> route.id() + " reads " + route.types())
                .toList();
        String text =
                "No route of the file reads messages of type " + message.type() + ": " + String.join("; ", types) + ".";
        if (!output.isJson()) {
            options.print(text + "\n");
        }
        return new NotRead(message.messageId().toString(), message.type(), "not read", text);
    }

    private List<TriedRoute> routes(DryRun run) {
        String name = file.toAbsolutePath().normalize().toString();
        List<TriedRoute> all = run.routes().stream()
                .filter(route -> route.source().equals(name) || route.source().endsWith("/" + file.getFileName()))
                .filter(route -> routeId == null || route.id().equals(routeId))
                .toList();
        if (all.isEmpty()) {
            throw options.wrong(file + " has no route " + (routeId == null ? "" : routeId + " ")
                    + "that reads outbox:. Its routes run only when another route calls them.");
        }
        return all;
    }

    private static int exitCode(Trial trial) {
        return switch (trial.end()) {
            case DELIVERED, REPEAT -> 0;
            case RETRIED, WAITS, UNFINISHED -> RETRIED;
            case DEAD -> DEAD;
        };
    }
}
