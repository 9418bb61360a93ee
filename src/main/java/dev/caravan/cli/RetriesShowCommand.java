package dev.caravan.cli;

import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Waiting;
import java.sql.SQLException;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan retries show}: all details of waiting messages. */
@Command(
        name = "show",
        sortOptions = false,
        description = {
            "Show a waiting message, what it waits for, its error and its changes by people: SUBSCRIPTION ID.",
            "Payload and header values may contain personal data and are shown only with --payload."
        })
final class RetriesShowCommand extends ShowCommand<NamedWaitingMessages> {
    @Override
    NamedWaitingMessages lookUp(DataSource database) {
        return new NamedWaitingMessages(database);
    }

    @Override
    void show(NamedWaitingMessages named, DataSource database, Audit audit, boolean payload, Shown shown)
            throws SQLException {
        Retries retries = new Retries(database);
        for (Waiting message : named.found()) {
            var summary = message.summary();
            var blocker = retries.blocker(summary);
            var history = audit.ofMessage(summary.subscription(), summary.id());
            shown.add(
                    WaitingText.text(message, blocker, history, payload),
                    Fields.of(message, blocker, history, AuditText.shown(payload)));
        }
    }
}
