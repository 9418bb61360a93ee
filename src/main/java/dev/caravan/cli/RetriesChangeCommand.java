package dev.caravan.cli;

import dev.caravan.operate.failed.BlockedText;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** A command that changes waiting messages: retry or give up. Blocked messages are refused, they have no attempt of their own. */
abstract class RetriesChangeCommand extends ChangeCommand {
    @Mixin
    private WaitingFilterOptions filter;

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
    MessageFilter filter() {
        return filter.filter(false);
    }

    @Override
    WaitingSearch search(DataSource database) {
        return new WaitingSearch(database);
    }

    @Override
    String messages() {
        return "retries";
    }

    @Override
    Named named(DataSource database) throws SQLException {
        NamedWaitingMessages named = lookUp(new NamedWaitingMessages(database), filter.subscription());
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
