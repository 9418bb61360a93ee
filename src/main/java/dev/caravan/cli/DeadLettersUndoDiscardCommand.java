package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DiscardedSearch;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan dead-letters undo-discard}: turns discarded messages back into dead letters. */
@Command(
        name = "undo-discard",
        sortOptions = false,
        description = {
            "Undo a discard: the messages are dead letters again, with their attempts and errors. Name them by SUBSCRIPTION ID, or use"
                    + " --all --discard ID for all that were discarded together.",
            "Where a dead letter blocks its key (onDead=block, order=strict), later messages of the key wait again. Those that a relay"
                    + " has read are delivered."
        })
final class DeadLettersUndoDiscardCommand extends ChangeCommand {
    @Mixin
    private DiscardedFilterOptions filter;

    @Override
    ChangeText text() {
        return new ChangeText(
                "restore", "restored", "restored", "discarded dead letter", "restored, deleted, or replayed");
    }

    @Override
    boolean isFiltered() {
        return filter.restricts();
    }

    @Override
    String nothingFound(DataSource database) throws SQLException {
        return filter.nothingFound(database);
    }

    @Override
    MessageFilter filter() {
        return filter.filter();
    }

    @Override
    DiscardedSearch search(DataSource database) {
        return new DiscardedSearch(database);
    }

    @Override
    String action() {
        return "undo-discard";
    }

    @Override
    String messages() {
        return "discarded dead letters";
    }

    @Override
    Named named(DataSource database) throws SQLException {
        NamedDiscarded named = lookUp(new NamedDiscarded(settings(), database), filter.subscription());
        return new Named(named.found(), named.missing());
    }

    @Override
    int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
        return Discards.from(settings(), database).undo(chunk, by);
    }
}
