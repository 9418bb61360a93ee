package dev.caravan.cli;

import dev.caravan.database.Database;
import dev.caravan.subscription.LaneChange;
import dev.caravan.subscription.Subscriptions;
import dev.caravan.text.Humane;
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

/** {@code caravan subscriptions lanes}: split a subscription for more relays, or for fewer. */
@Command(
        name = "lanes",
        sortOptions = false,
        description = {
            "Give a subscription another number of lanes, so that more relays can share it. Relays finish what is on its way and"
                    + " leave the subscription; then all lanes are changed at once, with nothing lost, repeated or out of order.",
            "Afterwards only relays work it whose route has the new number (option lanes): change the route file on all"
                    + " relays right after this command. Until then its messages wait.",
            "Interrupted or out of time, nothing is changed, and the relays go on as before."
        })
final class SubscriptionsLanesCommand implements Callable<Integer> {
    private static final int MOST_LANES = 64;
    private static final long STEP_MILLIS = 300;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "Its name.")
    private String name;

    @Parameters(
            index = "1",
            paramLabel = "LANES",
            description = "How many lanes it shall have, 1 to " + MOST_LANES + ".")
    private int lanes;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for the relays. Default: 60")
    private int timeout;

    @Mixin
    private SignatureOptions signature;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException, InterruptedException {
        within("LANES", lanes, 1, MOST_LANES);
        within("--timeout", timeout, 1, 86_400);
        DataSource database = Database.forLongCommand(options.settings());
        new SubscriptionNames(new Subscriptions(database)).require(name);
        LaneChange change = new LaneChange(database, name, lanes, signature.signature());
        try (Interruption interruption = new Interruption()) {
            return change(change, interruption);
        }
    }

    private void within(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(),
                    what + " must be between " + min + " and " + max + ", got " + value + ". Nothing was changed.");
        }
    }

    private int change(LaneChange change, Interruption interruption) throws SQLException, InterruptedException {
        int before = change.lanes();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeout);
        String told = "";
        LaneChange.Step step = change.advance();
        while (!step.done() && interruption.goOn() && System.nanoTime() - end < 0) {
            if (!step.waitsFor().equals(told)) {
                told = step.waitsFor();
                tell("Waiting for " + told);
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            step = change.advance();
        }
        if (step.done()) {
            output.print(() -> text(before), () -> fields(before));
            return 0;
        }
        change.cancel();
        tell((interruption.goOn() ? "Out of time" : "Interrupted") + " while waiting for " + step.waitsFor()
                + ". Nothing was changed; relays go on with " + Humane.counted(before, "lane") + ".");
        return interruption.goOn() ? 1 : Interruption.EXIT;
    }

    private String text(int before) {
        if (before == lanes) {
            return name + " has " + Humane.counted(lanes, "lane") + " already.";
        }
        return name + " has " + Humane.counted(lanes, "lane") + " now, before " + before + ". Set lanes: " + lanes
                + " in its route on all relays; until then its messages wait.";
    }

    private Map<String, Object> fields(int before) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("lanes", lanes);
        fields.put("before", before);
        fields.put("changed", before != lanes);
        return fields;
    }

    private void tell(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }
}
