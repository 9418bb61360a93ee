package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions lanes}: changes the number of lanes of a subscription. */
@Command(
        name = "lanes",
        sortOptions = false,
        description = {
            "Change the number of lanes of a subscription, so that more relays can share it. Relays finish the messages in flight and"
                    + " release the lanes; then all lanes are changed at once. No message is lost, repeated or out of order.",
            "Afterwards only relays whose route has the new number (option lanes) deliver its messages: change the route file on"
                    + " all relays right after this command. Until then its messages wait.",
            "If the command is interrupted or times out, nothing is changed, and the relays continue as before."
        })
final class SubscriptionsLanesCommand implements Callable<Integer> {
    private static final int MAX_LANES = 64;
    private static final long STEP_MILLIS = 300;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Parameters(index = "1", paramLabel = "LANES", description = "New number of lanes, 1 to " + MAX_LANES + ".")
    private int lanes;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for the relays, in seconds. Default: 60")
    private int timeout;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException, InterruptedException {
        requireRange("LANES", lanes, 1, MAX_LANES);
        requireRange("--timeout", timeout, 1, 86_400);
        DataSource database = Database.forLongCommand(options.settings());
        new SubscriptionNames(new Subscriptions(database)).require(name);
        LaneChange change = new LaneChange(database, name, lanes, actor.actor());
        try (Interruption interruption = new Interruption()) {
            return change(change, interruption);
        }
    }

    private void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(),
                    name + " must be between " + min + " and " + max + ", got " + value + ". Nothing was changed.");
        }
    }

    private int change(LaneChange change, Interruption interruption) throws SQLException, InterruptedException {
        int before = change.lanes();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeout);
        String reported = "";
        LaneChange.Step step = change.advance();
        while (!step.done() && interruption.mayContinue() && System.nanoTime() - end < 0) {
            if (!step.waitsFor().equals(reported)) {
                reported = step.waitsFor();
                report("Waiting for " + reported);
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            step = change.advance();
        }
        if (step.done()) {
            output.print(() -> text(before), () -> fields(before));
            return 0;
        }
        change.cancel();
        report((interruption.mayContinue() ? "Timed out" : "Interrupted") + " while waiting for " + step.waitsFor()
                + ". Nothing was changed. Relays continue with " + Formatted.counted(before, "lane") + ".");
        return interruption.mayContinue() ? 1 : Interruption.EXIT;
    }

    private String text(int before) {
        if (before == lanes) {
            return name + " already has " + Formatted.counted(lanes, "lane") + ".";
        }
        return name + " now has " + Formatted.counted(lanes, "lane") + " instead of " + before + ". Set lanes: " + lanes
                + " in its route on all relays. Until then its messages wait.";
    }

    private Map<String, Object> fields(int before) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("lanes", lanes);
        fields.put("before", before);
        fields.put("changed", before != lanes);
        return fields;
    }

    private void report(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }
}
