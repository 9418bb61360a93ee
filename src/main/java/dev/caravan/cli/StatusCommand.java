package dev.caravan.cli;

import dev.caravan.schema.Database;
import dev.caravan.schema.SubscriptionStatus;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code caravan status}: how far each subscription is. */
@Command(
        name = "status",
        description = {
            "Show how far each subscription is.",
            "Backlog is an upper bound: rolled-back ids and messages that are not for the subscription count too."
                    + " Lag is the age of the oldest undelivered message."
        })
class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions options;

    @Option(names = "--output", defaultValue = "text", description = "${COMPLETION-CANDIDATES}; default: text")
    private Output output;

    @Override
    public Integer call() throws SQLException {
        List<SubscriptionStatus> all = SubscriptionStatus.all(Database.forCommand(options.settings()));
        PrintWriter out = spec.commandLine().getOut();
        out.println(output == Output.json ? json(all) : text(all));
        out.flush();
        return 0;
    }

    private static String text(List<SubscriptionStatus> all) {
        if (all.isEmpty()) {
            return "No subscriptions yet: a relay makes one for each route that reads the outbox.";
        }
        Table table = new Table(
                "SUBSCRIPTION",
                "LANE>",
                "POSITION>",
                "GAPS>",
                "BACKLOG>",
                "LAG>",
                "OWNER",
                "EPOCH>",
                "LEASE>",
                "PAUSED");
        for (SubscriptionStatus status : all) {
            table.row(
                    status.name(),
                    status.lane(),
                    status.position(),
                    status.gaps(),
                    (status.backlog() == 0 ? "" : "<= ") + status.backlog(),
                    Humane.duration(status.lag()),
                    status.owner().orElse("-"),
                    status.epoch(),
                    status.leaseLeft().map(StatusCommand::lease).orElse("-"),
                    status.paused() ? "paused" : "-");
        }
        return table.toString();
    }

    private static String lease(Duration left) {
        return left.isNegative() ? "ended" : Humane.duration(left);
    }

    private static String json(List<SubscriptionStatus> all) {
        return Json.text(all.stream().map(StatusCommand::fields).toList());
    }

    private static Map<String, Object> fields(SubscriptionStatus status) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", status.name());
        fields.put("lane", status.lane());
        fields.put("position", status.position());
        fields.put("gaps", status.gaps());
        fields.put("backlogAtMost", status.backlog());
        fields.put("lagSeconds", status.lag().toMillis() / 1000.0);
        fields.put("owner", status.owner().orElse(null));
        fields.put("epoch", status.epoch());
        fields.put("leaseUntil", status.leaseUntil().map(Object::toString).orElse(null));
        fields.put("paused", status.paused());
        return fields;
    }
}
