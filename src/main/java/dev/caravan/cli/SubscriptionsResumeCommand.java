package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.subscription.HaltedSubscription;
import dev.caravan.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions resume}: start a paused or halted subscription again. */
@Command(
        name = "resume",
        sortOptions = false,
        description = {
            "Start a paused subscription again where it stopped. A relay takes it within about a second. Safe to repeat.",
            "A halted subscription needs --after: the outbox was restored or truncated, and only a person can say which"
                    + " messages are still to be delivered."
        })
final class SubscriptionsResumeCommand extends PausedCommand {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--after",
            paramLabel = "ID",
            description =
                    "Of a halted subscription: go on after this id of the outbox. Messages with higher ids are delivered,"
                            + " also those that were delivered before; messages up to it are not. 0: all that is in the outbox.")
    private Long after;

    @Option(names = "--yes", description = "With --after: do not ask.")
    private boolean yes;

    @Override
    int run(DataSource database, String name, Actor by, OutputOption output) throws SQLException {
        if (after == null) {
            return super.run(database, name, by, output);
        }
        HaltedSubscription halted = new HaltedSubscription(database, name);
        HaltedSubscription.Outlook outlook = halted.outlook(after);
        if (!yes && !Confirmation.onConsole(spec.commandLine()).agreed(question(name, outlook))) {
            spec.commandLine().getErr().println("Nothing was changed.");
            return 0;
        }
        halted.resume(after, by);
        output.print(() -> text(name, outlook), () -> fields(name, outlook));
        return 0;
    }

    private String question(String name, HaltedSubscription.Outlook outlook) {
        return "Resume " + name + " after id " + after + ": deliver " + outlook.following()
                + " messages with higher ids, also those delivered before, and skip " + outlook.passed()
                + " messages up to it, if they were not delivered before";
    }

    private String text(String name, HaltedSubscription.Outlook outlook) {
        return "Resumed " + name + " after id " + after + ": " + outlook.following()
                + " messages with higher ids are in the outbox and are delivered, also those delivered before; "
                + outlook.passed() + " messages up to it are not. A relay takes it within about a second.";
    }

    private Map<String, Object> fields(String name, HaltedSubscription.Outlook outlook) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("state", state());
        fields.put("changed", true);
        fields.put("after", after);
        fields.put("following", outlook.following().fields());
        fields.put("passed", outlook.passed().fields());
        return fields;
    }

    @Override
    boolean change(Subscriptions subscriptions, String name, Actor by) throws SQLException {
        return subscriptions.resume(name, by);
    }

    @Override
    String state() {
        return "resumed";
    }

    @Override
    String text(String name, boolean changed) {
        return changed ? "Resumed " + name + ": a relay takes it within about a second." : name + " is not paused.";
    }
}
