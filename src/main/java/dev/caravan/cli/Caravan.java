package dev.caravan.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root command. Exit codes: 0 done, 1 failed, 2 wrong use or wrong settings. */
@Command(
        name = "caravan",
        versionProvider = VersionProvider.class,
        header = "Delivers the messages of a transactional outbox in Postgres, in order per key, at least once.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed", "2:wrong use or wrong settings"})
public final class Caravan implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            RunCommand.class,
            SchemaCommand.class,
            CaptureCommand.class,
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
            PartitionsCommand.class,
            AuditCommand.class,
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

    private final RelayStart relayStart;

    Caravan(RelayStart relayStart) {
        this.relayStart = relayStart;
    }

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs one command in this process and returns its exit code. */
    public static int execute(String... args) {
        return commandLine(RelayStart.REAL, args).execute(args);
    }

    /** With all commands. */
    static CommandLine commandLine(RelayStart relayStart) {
        CommandLine line = new CommandLine(new Caravan(relayStart));
        COMMANDS.forEach(line::addSubcommand);
        LaboratoryCommands.addTo(line, ServiceLoader.load(AddedCommand.class));
        return prepared(line);
    }

    /** With the command alone that the arguments begin with: to make all of them takes longer than most commands run. */
    static CommandLine commandLine(RelayStart relayStart, String... args) {
        return COMMANDS.stream()
                .filter(command -> args.length > 0 && nameOf(command).equals(args[0]))
                .filter(command -> command != CompletionCommand.class) // it prints all
                .findFirst()
                .map(command -> prepared(new CommandLine(new Caravan(relayStart)).addSubcommand(command)))
                .orElseGet(() -> commandLine(relayStart));
    }

    private static String nameOf(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    private static CommandLine prepared(CommandLine line) {
        ExceptionHandler handler = new ExceptionHandler();
        line.setExecutionExceptionHandler(handler);
        line.setParameterExceptionHandler(handler);
        line.setExecutionStrategy(parsed -> {
            if (ExceptionHandler.isVerbose(parsed)) {
                ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.DEBUG);
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        return line;
    }

    RelayStart relayStart() {
        return relayStart;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command.");
    }
}
