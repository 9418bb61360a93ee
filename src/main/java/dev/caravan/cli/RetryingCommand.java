package dev.caravan.cli;

import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** A command that retries messages, and can wait for what becomes of them. */
abstract class RetryingCommand extends ChangeCommand {
    @Mixin
    WaitOption wait;

    RetryingCommand(MessageFilterOptions filter) {
        super("retry", "retry", "retried", "retried", "", filter);
    }

    @Override
    public Integer call() throws Exception {
        wait.require(names);
        return super.call();
    }

    @Override
    void require(Selection set) {
        wait.require(set);
    }

    @Override
    List<Outcome> outcomes(DataSource database, Selection set, Interruption interruption)
            throws SQLException, InterruptedException {
        return wait.follow(database, set, output, interruption);
    }

    @Override
    boolean isMissed(List<Outcome> outcomes) {
        return wait.isMissed(outcomes);
    }
}
