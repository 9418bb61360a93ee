package dev.caravan.cli;

import dev.caravan.operate.failed.BlockedText;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** A command that changes waiting messages: retry or give up. Blocked messages are refused, they have no attempt of their own. */
abstract class RetriesChangeCommand extends ChangeCommand {
    @Mixin
    private MessageFilterOptions.OfWaiting filter;

    static ChangeText text(String verb, String past, String participle) {
        return new ChangeText(verb, past, participle, "waiting message", "tried, given up or blocked");
    }

    @Override
    boolean isFiltered() {
        return filter.restricts();
    }

    @Override
    String nothingFound(DataSource database) throws SQLException {
        return filter.nothingFound(database, false);
    }

    @Override
    Selection select(DataSource database, LongPredicate progress) throws SQLException {
        return new WaitingSearch(database).select(filter.filter(false), progress);
    }

    @Override
    Named named(DataSource database) throws SQLException {
        NamedMessages<Waiting> named = lookUp(NamedMessages.waiting(database), filter.subscription());
        Retries retries = new Retries(database);
        List<WaitingSummary> free = new ArrayList<>();
        for (Waiting message : named.found()) {
            if (message.summary().isBlocked()) {
                named.miss(BlockedText.of(message.summary(), retries.blocker(message.summary())));
            } else {
                free.add(message.summary());
            }
        }
        return new Named(free, named.missing());
    }
}
