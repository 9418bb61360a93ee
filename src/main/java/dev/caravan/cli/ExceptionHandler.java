package dev.caravan.cli;

import dev.caravan.adopt.capture.CaptureRefusal;
import dev.caravan.adopt.intake.IntakeRefusal;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.HiddenCharacters;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.schema.DatabaseNotReady;
import dev.caravan.database.schema.SchemaRefusal;
import dev.caravan.operate.subscription.Refusal;
import dev.caravan.relay.LogEncoder;
import dev.caravan.relay.RelayStartException;
import dev.caravan.relay.postgres.EmbeddedServerException;
import dev.caravan.routes.component.ComponentRefusal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Maps each exception of a command to a message and an exit code. */
final class ExceptionHandler implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ExceptionHandler.class);
    /** What a command that runs until a signal starts. */
    private static final Map<String, String> SERVERS = Map.of("run", "relay", "console", "console");

    /** A frame of a stack trace, or the class of a cause before its text. */
    private static final Pattern WITHOUT_TEXT =
            Pattern.compile("(?m)^\\s+(?:at |\\.\\.\\. ).*|^\\t*(?:Caused by|Suppressed): [\\w.$]+");

    @Override
    public int handleExecutionException(Exception thrown, CommandLine command, ParseResult parsed) {
        boolean isDetailed = isVerbose(parsed) || "DEBUG".equalsIgnoreCase(System.getenv("LOG_LEVEL"));
        Optional<String> server = Optional.ofNullable(SERVERS.get(command.getCommandName()));
        String text = ErrorText.withoutLogins(text(thrown, server.orElse("command")))
                + (isDetailed ? "\n" + details(thrown) : "");
        if (server.isPresent() && LogEncoder.isJson()) {
            LOG.error(text); // a log system reads all that it writes
        } else {
            command.getErr().println(HiddenCharacters.shown(text.stripTrailing()));
            command.getErr().flush();
        }
        return isUsageError(thrown) ? ExitCode.USAGE : ExitCode.SOFTWARE;
    }

    private static String details(Exception thrown) {
        String trace = ErrorText.withoutSecrets(stackTrace(thrown));
        return thrown instanceof RelayStartException ? withoutTexts(trace) : trace;
    }

    /** A stack trace for the log: the texts of Camel quote addresses and secrets that it refuses. The relay has said the reason. */
    private static String withoutTexts(String trace) {
        return WITHOUT_TEXT.matcher(trace).results().map(MatchResult::group).collect(Collectors.joining("\n"));
    }

    private static String stackTrace(Exception thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static boolean isUsageError(Exception thrown) {
        return thrown instanceof SettingsException || thrown instanceof RelayStartException;
    }

    private static String text(Exception thrown, String started) {
        if (thrown instanceof DatabaseNotReady) {
            return "Could not start the " + started + ". " + thrown.getMessage() + "\nNothing was started.";
        }
        if (isUsageError(thrown)
                || thrown instanceof CommandFailure
                || thrown instanceof EmbeddedServerException
                || thrown instanceof Refusal
                || thrown instanceof SchemaRefusal
                || thrown instanceof CaptureRefusal
                || thrown instanceof IntakeRefusal
                || thrown instanceof ComponentRefusal) {
            return thrown.getMessage();
        }
        return DatabaseFailure.in(thrown).map(DatabaseFailure::text).orElseGet(() -> unexpected(thrown));
    }

    private static String unexpected(Exception thrown) {
        String reason = thrown.getMessage() == null ? "" : ": " + ErrorText.withoutSecrets(thrown.getMessage());
        return "Unexpected error: " + thrown.getClass().getSimpleName() + reason
                + " (--verbose shows the stack trace).";
    }

    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(HiddenCharacters.shown(wrong.getMessage()));
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("Help: " + command.getCommandSpec().qualifiedName() + " --help");
        err.flush();
        return ExitCode.USAGE;
    }

    static boolean isVerbose(ParseResult parsed) {
        for (ParseResult result = parsed; result != null; result = result.subcommand()) {
            if (result.commandSpec().findOption("--verbose") != null && result.hasMatchedOption("--verbose")) {
                return true;
            }
        }
        return false;
    }
}
