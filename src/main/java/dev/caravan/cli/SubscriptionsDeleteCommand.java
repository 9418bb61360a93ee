package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions delete}: removes a subscription. */
@Command(
        name = "delete",
        sortOptions = false,
        description = {
            "Remove a subscription with its progress, waiting messages and dead letters. Messages in the outbox are not removed.",
            "Refused while a route uses it: remove the route first. A later route of the same name starts a new subscription."
        })
final class SubscriptionsDeleteCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Option(
            names = "--yes",
            description = "Do not ask for confirmation when waiting messages or dead letters are lost.")
    private boolean yes;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        Actor by = actor.actor();
        Subscriptions subscriptions = new Subscriptions(Database.forLongCommand(options.settings()));
        new SubscriptionNames(subscriptions).require(name);
        subscriptions.requireUnused(name);
        Subscriptions.Content content = subscriptions.content(name);
        String lost = Formatted.counted(content.retries(), "waiting message") + " and "
                + Formatted.counted(content.deadLetters(), "dead letter");
        if (!content.isEmpty()
                && !yes
                && !Confirmation.onConsole(spec.commandLine())
                        .confirmed("Delete subscription " + name + " and lose " + lost)) {
            spec.commandLine().getErr().println("Nothing was changed.");
            return 0;
        }
        subscriptions.delete(name, content, by);
        output.print(
                () -> "Deleted subscription " + name + (content.isEmpty() ? "." : " with " + lost + "."),
                () -> fields(content));
        return 0;
    }

    private Map<String, Object> fields(Subscriptions.Content content) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("deleted", true);
        fields.put("retries", content.retries());
        fields.put("deadLetters", content.deadLetters());
        return fields;
    }
}
