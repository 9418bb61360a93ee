package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that pauses or resumes a subscription. */
abstract class PauseOrResumeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    abstract boolean change(Subscriptions subscriptions, String name, Actor by) throws SQLException;

    /** {@code paused} or {@code resumed}. */
    abstract String state();

    abstract String text(String name, boolean changed);

    @Override
    public Integer call() throws SQLException {
        Actor by = actor.actor();
        DataSource database = options.database();
        new SubscriptionNames(new Subscriptions(database)).require(name);
        return run(database, name, by, output);
    }

    int run(DataSource database, String name, Actor by, OutputOption output) throws SQLException {
        Subscriptions subscriptions = new Subscriptions(database);
        boolean changed = change(subscriptions, name, by);
        output.print(
                () -> text(name, changed), () -> Map.of("subscription", name, "state", state(), "changed", changed));
        return 0;
    }
}
