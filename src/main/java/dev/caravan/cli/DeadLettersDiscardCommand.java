package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.selection.BulkChange;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan dead-letters discard}: removes dead letters permanently. */
@Command(
        name = "discard",
        sortOptions = false,
        description = {
            "Remove dead letters permanently. --reason is required. The audit stores message id, key, type and error, but not the"
                    + " payload: export the dead letters first if in doubt."
        })
final class DeadLettersDiscardCommand extends DeadLettersChangeCommand {
    @Override
    public Integer call() throws Exception {
        if (by().reason().isEmpty()) {
            throw wrongUse("Discarding needs a reason: --reason TEXT. Nothing was changed.");
        }
        return super.call();
    }

    @Override
    ChangeText text() {
        return text("discard", "discarded");
    }

    @Override
    BulkChange.Change change(DataSource database, Actor by) {
        DeadLetters deadLetters = new DeadLetters(database);
        return chunk -> deadLetters.discard(chunk, by);
    }
}
