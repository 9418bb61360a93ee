package dev.caravan.cli;

import dev.caravan.base.text.Span;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import picocli.CommandLine.Command;

/** {@code caravan dead-letters discard}: discards dead letters. They are kept for some days. */
@Command(
        name = "discard",
        sortOptions = false,
        description = {
            "Discard dead letters. --reason is required. They are kept for caravan.discarded.retention (7d), then deleted. Until then"
                    + " undo-discard restores them.",
            "With caravan.discarded.retention=0s they are deleted at once. The audit stores message id, key, type and error of one, and"
                    + " of many their ids in the outbox, types and errors, but not the payload: export the dead letters first if in doubt."
        })
final class DeadLettersDiscardCommand extends DeadLettersChangeCommand {
    private final UUID discard = UUID.randomUUID();

    @Override
    public Integer call() throws Exception {
        if (by().reason().isEmpty()) {
            throw usageError("Discarding needs a reason: --reason TEXT. Nothing was changed.");
        }
        return super.call();
    }

    @Override
    ChangeText text() {
        return text("discard", "discarded");
    }

    @Override
    String action() {
        return "discard";
    }

    @Override
    Optional<UUID> discard() {
        return Optional.of(discard)
                .filter(id -> Discards.from(settings(), database()).canBeUndone());
    }

    @Override
    int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
        return Discards.from(settings(), database).discard(chunk, discard, by);
    }

    @Override
    String next(Selection set) {
        Discards discards = Discards.from(settings(), database());
        return discards.canBeUndone()
                ? "\nKept for " + Span.text(discards.retention())
                        + ". To undo: ./caravan dead-letters undo-discard --all --discard " + discard
                : "";
    }

    @Override
    Map<String, Object> moreFields() {
        return Map.of("discard", discard.toString());
    }
}
