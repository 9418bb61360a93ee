package dev.caravan.cli;

import dev.caravan.audit.Audit;
import dev.caravan.database.Database;
import dev.caravan.deadletter.DeadLetter;
import dev.caravan.deadletter.DeadLetters.Place;
import dev.caravan.json.Fields;
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

/** {@code caravan dead-letters show}: all details of dead letters. */
@Command(
        name = "show",
        sortOptions = false,
        description = {
            "Show a dead letter with its error and its changes by people: SUBSCRIPTION ID, or a message id (a UUID).",
            "Payload and header values may contain personal data and are shown only with --payload."
        })
final class DeadLettersShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "SUBSCRIPTION ID…, or message ids.")
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
        NamedDeadLetters named = new NamedDeadLetters(database);
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

    private void print(DataSource database, NamedDeadLetters named) throws SQLException {
        Audit audit = new Audit(database);
        List<String> texts = new ArrayList<>();
        List<Object> fields = new ArrayList<>();
        for (Place place : named.found()) {
            Optional<DeadLetter> letter = named.load(place);
            if (letter.isPresent()) {
                var history = audit.ofMessage(place.subscription(), place.id());
                texts.add(DeadLetterText.text(letter.get(), history, payload));
                fields.add(Fields.of(letter.get(), history, AuditText.shown(payload)));
            }
        }
        if (!fields.isEmpty()) {
            output.print(() -> String.join("\n\n", texts), () -> fields);
        }
    }
}
