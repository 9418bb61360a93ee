package dev.caravan.cli;

import dev.caravan.audit.Audit;
import dev.caravan.database.Database;
import dev.caravan.json.Fields;
import dev.caravan.retry.Retries;
import dev.caravan.retry.Waiting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan retries show}: all details of waiting messages. */
@Command(
        name = "show",
        sortOptions = false,
        description = {
            "Show a waiting message, what it waits for, its error and its changes by people: SUBSCRIPTION ID.",
            "Payload and header values may contain personal data and are shown only with --payload."
        })
final class RetriesShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "SUBSCRIPTION ID…")
    private List<String> names;

    @Option(names = "--payload", description = "Also show the payload and header values.")
    private boolean payload;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        DataSource database = Database.forCommand(options.settings());
        NamedWaitingMessages named = new NamedWaitingMessages(database);
        try {
            named.find(Optional.empty(), names);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        print(database, named);
        named.missing().forEach(spec.commandLine().getErr()::println);
        spec.commandLine().getErr().flush();
        return named.missing().isEmpty() ? 0 : 1;
    }

    private void print(DataSource database, NamedWaitingMessages named) throws SQLException {
        Audit audit = new Audit(database);
        Retries retries = new Retries(database);
        List<String> texts = new ArrayList<>();
        List<Object> fields = new ArrayList<>();
        for (Waiting message : named.found()) {
            var summary = message.summary();
            var blocker = retries.blocker(summary);
            var history = audit.ofMessage(summary.subscription(), summary.id());
            texts.add(WaitingText.text(message, blocker, history, payload));
            fields.add(Fields.of(message, blocker, history, AuditText.shown(payload)));
        }
        if (!fields.isEmpty()) {
            output.print(() -> String.join("\n\n", texts), () -> fields);
        }
    }
}
