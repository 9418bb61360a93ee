package dev.caravan.cli;

import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.function.LongPredicate;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** A command that changes dead letters: retry or discard. */
abstract class DeadLettersChangeCommand extends ChangeCommand {
    @Mixin
    private MessageFilterOptions.OfDeadLetters filter;

    static ChangeText text(String verb, String done) {
        return new ChangeText(verb, done, done, "dead letter", "retried, discarded, or dead again");
    }

    final MessageFilter filter() {
        return filter.filter();
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
    Selection select(DataSource database, LongPredicate progress) throws SQLException {
        return new DeadLetterSearch(database).select(filter.filter(), progress);
    }

    @Override
    Named named(DataSource database) throws SQLException {
        NamedMessages<DeadLetter> named = lookUp(database);
        return new Named(named.found().stream().map(DeadLetter::summary).toList(), named.missing());
    }

    final NamedMessages<DeadLetter> lookUp(DataSource database) throws SQLException {
        return lookUp(NamedMessages.dead(database), filter.subscription());
    }
}
