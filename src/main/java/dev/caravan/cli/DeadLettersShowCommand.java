package dev.caravan.cli;

import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetters.Place;
import dev.caravan.operate.failed.Fields;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan dead-letters show}: all details of dead letters. */
@Command(
        name = "show",
        sortOptions = false,
        description = {
            "Show a dead letter with its error and its changes by people: SUBSCRIPTION ID, or a message id (a UUID).",
            "Payload and header values may contain personal data and are shown only with --payload."
        })
final class DeadLettersShowCommand extends ShowCommand<NamedDeadLetters> {
    @Override
    NamedDeadLetters lookUp(DataSource database) {
        return new NamedDeadLetters(database);
    }

    @Override
    void show(NamedDeadLetters named, DataSource database, Audit audit, boolean payload, Shown shown)
            throws SQLException {
        for (Place place : named.found()) {
            Optional<DeadLetter> letter = named.load(place);
            if (letter.isPresent()) {
                var history = audit.ofMessage(place.subscription(), place.id());
                shown.add(
                        DeadLetterText.text(letter.get(), history, payload),
                        Fields.of(letter.get(), history, AuditText.shown(payload)));
            }
        }
    }
}
