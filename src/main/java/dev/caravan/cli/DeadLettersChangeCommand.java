package dev.caravan.cli;

import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.MessageFilter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** A command that changes dead letters: retry or discard. */
abstract class DeadLettersChangeCommand extends ChangeCommand {
    @Mixin
    private DeadLetterFilterOptions filter;

    static ChangeText text(String verb, String done) {
        return new ChangeText(verb, done, done, "dead letter", "retried, discarded, or dead again");
    }

    @Override
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
    DeadLetterSearch search(DataSource database) {
        return new DeadLetterSearch(database);
    }

    @Override
    String messages() {
        return "dead letters";
    }

    @Override
    Named named(DataSource database) throws SQLException {
        NamedDeadLetters named = lookUp(database);
        List<DeadLetterSummary> letters = new ArrayList<>();
        for (DeadLetters.Place place : named.found()) {
            named.load(place).map(DeadLetter::summary).ifPresent(letters::add);
        }
        return new Named(letters, named.missing());
    }

    final NamedDeadLetters lookUp(DataSource database) throws SQLException {
        return lookUp(new NamedDeadLetters(database), filter.subscription());
    }
}
