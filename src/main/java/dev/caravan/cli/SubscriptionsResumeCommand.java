package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.HaltedSubscription;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions resume}: resumes a paused or halted subscription. */
@Command(
        name = "resume",
        sortOptions = false,
        description = {
            "Resume a paused subscription where it stopped. A relay continues within about a second. Safe to repeat.",
            "A halted subscription needs --after: the outbox was restored or truncated, and a person must decide which messages"
                    + " are still to be delivered; or --where-it-stopped, if its sequence was only altered."
        })
final class SubscriptionsResumeCommand extends PauseOrResumeCommand {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--after",
            paramLabel = "ID",
            description =
                    "For a halted subscription: resume after this id. Messages with higher ids are delivered, even if they were"
                            + " delivered before; messages up to it are not. 0: all messages in the outbox.")
    private Long after;

    @Option(
            names = "--where-it-stopped",
            description =
                    "For a halted subscription: resume where it stopped. Only if no id was assigned again, for example after an"
                            + " ALTER SEQUENCE that did not restart it; otherwise messages are not delivered.")
    private boolean whereItStopped;

    @Option(names = "--yes", description = "With --after: do not ask for confirmation.")
    private boolean yes;

    @Override
    int run(DataSource database, String name, Actor by, OutputOption output) throws SQLException {
        if (after != null && whereItStopped) {
            throw new ParameterException(spec.commandLine(), "--after and --where-it-stopped exclude each other");
        }
        if (whereItStopped) {
            new HaltedSubscription(database, name).resumeWhereItStopped(by);
            output.print(() -> text(name, true), () -> Map.of("subscription", name, "state", state(), "changed", true));
            return 0;
        }
        if (after == null) {
            return super.run(database, name, by, output);
        }
        HaltedSubscription halted = new HaltedSubscription(database, name);
        HaltedSubscription.Outlook outlook = halted.outlook(after);
        if (!yes && !Confirmation.onConsole(spec.commandLine()).confirmed(question(name, outlook))) {
            spec.commandLine().getErr().println("Nothing was changed.");
            return 0;
        }
        halted.resume(after, by);
        output.print(() -> text(name, outlook), () -> fields(name, outlook));
        return 0;
    }

    private String question(String name, HaltedSubscription.Outlook outlook) {
        return "Resume " + name + " after id " + after + ": deliver " + following(outlook)
                + ", even if delivered before, and skip " + outlook.passed().counted("message")
                + " up to it, even if not delivered before";
    }

    private String text(String name, HaltedSubscription.Outlook outlook) {
        return "Resumed " + name + " after id " + after + ". It delivers " + following(outlook)
                + ", even if delivered before, and skips " + outlook.passed().counted("message")
                + " up to it. A relay continues within about a second.";
    }

    private static String following(HaltedSubscription.Outlook outlook) {
        String messages = outlook.following().counted("message");
        return messages + (messages.equals("1 message") ? " with a higher id" : " with higher ids");
    }

    private Map<String, Object> fields(String name, HaltedSubscription.Outlook outlook) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("state", state());
        fields.put("changed", true);
        fields.put("after", after);
        fields.put("following", outlook.following());
        fields.put("passed", outlook.passed());
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
        return changed ? "Resumed " + name + ". A relay continues within about a second." : name + " is not paused.";
    }
}
