package dev.caravan.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.ReusedSessions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command. Exit codes: 0 done, 1 failed, 2 usage error or invalid settings. */
@Command(
        name = "caravan",
        versionProvider = VersionProvider.class,
        header = "Delivers the messages of a transactional outbox in Postgres, in order per key, at least once.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed", "2:usage error or invalid settings"})
public final class Caravan implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            RunCommand.class,
            ConsoleCommand.class,
            SchemaCommand.class,
            CaptureCommand.class,
            IntakeCommand.class,
            InitCommand.class,
            NewCommand.class,
            CheckCommand.class,
            TryCommand.class,
            DoctorCommand.class,
            PublishCommand.class,
            RoutesCommand.class,
            StatusCommand.class,
            TopCommand.class,
            WhyCommand.class,
            FindCommand.class,
            SubscriptionsCommand.class,
            RetriesCommand.class,
            DeadLettersCommand.class,
            BulkRetriesCommand.class,
            JobsCommand.class,
            PartitionsCommand.class,
            OutboxesCommand.class,
            AuditCommand.class,
            ContextCommand.class,
            ComponentCommand.class,
            CompletionCommand.class);

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help. For the help of one command: caravan COMMAND --help")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            description =
                    "Use the database of this context (see caravan context list). Default: CARAVAN_CONTEXT, or else the"
                            + " one chosen with context use; none if --config or CARAVAN_DB_URL is given.")
    private String context;

    private final RelayStart relayStart;
    private final Map<String, String> environment;
    private final List<ReusedSessions> sessions = new ArrayList<>();

    Caravan(RelayStart relayStart, Map<String, String> environment) {
        this.relayStart = relayStart;
        this.environment = environment;
    }

    public static void main(String[] args) {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        Locale.setDefault(
                Locale.ROOT); // libraries too write numbers that others read; in Turkish, Camel does not find options
        // with an I
        System.exit(execute(args));
    }

    /** Runs one command in this process and returns its exit code. */
    public static int execute(String... args) {
        return commandLine(RelayStart.REAL, System.getenv(), args).execute(args);
    }

    /** The command line with all commands. */
    static CommandLine commandLine(RelayStart relayStart) {
        return commandLine(relayStart, System.getenv());
    }

    static CommandLine commandLine(RelayStart relayStart, Map<String, String> environment) {
        CommandLine line = new CommandLine(new Caravan(relayStart, environment));
        COMMANDS.forEach(command -> line.addSubcommand(CommandGroup.line(command)));
        LaboratoryCommands.addTo(line, ServiceLoader.load(AddedCommand.class));
        return prepared(line);
    }

    /** The command line with only the command that the arguments name: creating all commands takes longer than most commands run. */
    static CommandLine commandLine(RelayStart relayStart, Map<String, String> environment, String... args) {
        String named = named(List.of(args));
        return COMMANDS.stream()
                .filter(command -> nameOf(command).equals(named))
                .filter(command -> command != CompletionCommand.class) // it prints all commands
                .findFirst()
                .map(command -> prepared(new CommandLine(new Caravan(relayStart, environment))
                        .addSubcommand(CommandGroup.line(command))))
                .orElseGet(() -> commandLine(relayStart, environment));
    }

    /** The first word, or the one after the option {@code --context}; empty if there is none. */
    private static String named(List<String> args) {
        int at = args.isEmpty() || !args.get(0).startsWith("--context")
                ? 0
                : args.get(0).equals("--context") ? 2 : 1;
        return at < args.size() ? args.get(at) : "";
    }

    private static String nameOf(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    private static CommandLine prepared(CommandLine line) {
        Caravan caravan = line.getCommand();
        Converters.addTo(line);
        ExceptionHandler handler = new ExceptionHandler();
        line.setExecutionExceptionHandler(handler);
        line.setParameterExceptionHandler(handler);
        line.setExecutionStrategy(parsed -> {
            if (ExceptionHandler.isVerbose(parsed)) {
                ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.DEBUG);
            }
            try {
                return caravan.mayRun(last(parsed)) ? new CommandLine.RunLast().execute(parsed) : 0;
            } finally {
                caravan.closeSessions();
            }
        });
        return line;
    }

    private static ParseResult last(ParseResult parsed) {
        return parsed.hasSubcommand() ? last(parsed.subcommand()) : parsed;
    }

    private boolean mayRun(ParseResult command) {
        CommandLine line = command.commandSpec().commandLine();
        if (context != null && !knowsContexts(command.commandSpec())) {
            throw new ParameterException(line, "This command uses no database of a context. Omit --context.");
        }
        boolean agreed = !ProtectedContext.changes(command)
                || usedBy(command)
                        .map(used -> ProtectedContext.mayRun(command, used, Prompt.onConsole(line)))
                        .orElse(true);
        if (!agreed) {
            line.getErr().println("Nothing was changed.");
        }
        return agreed;
    }

    /** Whether the option {@code --context} has an effect: a command on a database has the option {@code --config} too. */
    private static boolean knowsContexts(CommandSpec command) {
        return command.findOption("--config") != null
                || command.qualifiedName().startsWith("caravan context ")
                || !command.subcommands().isEmpty(); // a subcommand is missing
    }

    private Optional<OutboxContext> usedBy(ParseResult command) {
        try {
            return choice(command.hasMatchedOption("--config")).context();
        } catch (SettingsException e) {
            throw new ParameterException(command.commandSpec().commandLine(), e.getMessage());
        }
    }

    /** Closes sessions when the command has ended. */
    void closeAtEnd(ReusedSessions sessions) {
        this.sessions.add(sessions);
    }

    private void closeSessions() {
        sessions.forEach(ReusedSessions::close);
        sessions.clear();
    }

    Contexts contexts() {
        return Contexts.read(environment);
    }

    /** The context that a command uses. @param config whether {@code --config} is given */
    ContextChoice choice(boolean config) {
        return ContextChoice.of(context, config, contexts(), environment);
    }

    Map<String, String> environment() {
        return environment;
    }

    boolean hasContextOption() {
        return context != null;
    }

    RelayStart relayStart() {
        return relayStart;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command.");
    }
}
